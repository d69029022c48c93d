import type { PauseAnswer } from '../../api/pauses/answers.ts'
import { Page, Time } from '../kit/kit.tsx'
import { Text, text, words } from '../kit/text.tsx'
import { nameOf } from '../running/names.ts'
import { pausedInWords } from '../running/paused.ts'
import { Loaded, useFollowed } from '../session/load.tsx'
import type { PageProps } from '../session/page-routes.ts'
import { ApiProblem } from '../session/session.ts'
import { Begun, PauseButtons, pausedActing } from './pauses.tsx'

const { pause: labels } = words.permits

/** One operator who may not act: why, since when, and who lifted it. */
export function PausePage({ session, params }: PageProps) {
  const { id = '' } = params
  const page = useFollowed<PauseAnswer>(session, `/pauses/${encodeURIComponent(id)}`)
  const isMissing = page.error instanceof ApiProblem && page.error.status === 404
  return (
    <Page title={page.value ? pausedActing(page.value) : labels.title}>
      {isMissing ? (
        <p class="message refused" role="alert">
          {labels.missing}
        </p>
      ) : (
        <Loaded of={page} label={labels.loading} lines={4}>
          {(pause) => (
            <>
              {pause.state === 'paused' && (
                <p class="message refused">
                  {pause.isMine ? pausedInWords(pause) : heldInWords(pause)}
                </p>
              )}
              <div class="actions">
                <PauseButtons session={session} pause={pause} onDone={page.reload} />
              </div>
              <section>
                <h2>{labels.history}</h2>
                <Begun of={pause} />
                <Lifted of={pause} />
              </section>
            </>
          )}
        </Loaded>
      )}
    </Page>
  )
}

/** What the pause keeps another person than the reader from. */
function heldInWords({ operator, customer }: PauseAnswer): string {
  const slots = { operator: nameOf(operator) }
  return customer
    ? text(labels.one, { ...slots, customer: nameOf(customer) })
    : text(labels.oneForAll, slots)
}

function Lifted({ of: { resumed, state } }: { of: PauseAnswer }) {
  if (!resumed) return state === 'expired' ? <p>{labels.over}</p> : null
  const { by, at, note } = resumed
  return (
    <p>
      {by ? (
        <Text
          of={labels.lifted}
          person={<bdi class="person">{nameOf(by)}</bdi>}
          time={<Time at={at} />}
        />
      ) : (
        <Text of={labels.liftedInCode} time={<Time at={at} />} />
      )}
      {note !== undefined && (
        <q class="said">
          <bdi>{note}</bdi>
        </q>
      )}
    </p>
  )
}
