import { nameOf } from '../../../web/kit/names.ts'
import { Page } from '../../../web/kit/page.tsx'
import { Said } from '../../../web/kit/said.tsx'
import { Text, words } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { PauseAnswer } from '../../../web/pause-answers.ts'
import { useLive } from '../../../web/session/live.ts'
import { Loaded } from '../../../web/session/load.tsx'
import type { PageProps } from '../../../web/session/page-routes.ts'
import { pausedInWords } from '../../../web/session/paused.ts'
import { Begun, PauseButtons, pausedActing } from './pauses.tsx'

const { pause: labels } = words.permits

/** One operator who may not act: why, since when, and who lifted it. */
export function PausePage({ session, params }: PageProps) {
  const { id = '' } = params
  const page = useLive<PauseAnswer>(session, `/pauses/${encodeURIComponent(id)}`)
  return (
    <Page title={page.value ? pausedActing(page.value) : labels.title}>
      <Loaded of={page} missing={labels.missing} label={labels.loading} lines={4}>
        {(pause) => (
          <>
            {pause.state === 'paused' && <p class="message refused">{pausedInWords(pause)}</p>}
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
    </Page>
  )
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
      <Said of={note} />
    </p>
  )
}
