import { saidIn } from 'oidc-provider-impersonation-verify/format'
import { type At, type StaffAt, text } from '../../../web/kit/at.ts'
import { Link } from '../../../web/kit/link.tsx'
import { NoteAction } from '../../../web/kit/note-action.tsx'
import { auditPath, pausePath } from '../../../web/kit/paths.ts'
import { pausedText } from '../../../web/kit/paused.tsx'
import { NamedPerson, personName } from '../../../web/kit/people.tsx'
import { Said } from '../../../web/kit/said.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { PauseAnswer } from '../../../web/pause-answers.ts'

/** One operator who may not act: why, since when, and who lifted it. */
export const pausePage: View<PauseAnswer> = (pause, at) => {
  const labels = at.words.permits.pause
  return {
    title: pausedActing(at, pause),
    back: { to: '', label: at.words.web.toStart },
    ids: [pause.id],
    body: (
      <>
        {pause.state === 'stopped' && <p class="message refused">{pausedText(at, pause)}</p>}
        <PauseButtons of={pause} />
        <section>
          <h2>{labels.history}</h2>
          <Begun of={pause} />
          <Lifted of={pause} />
        </section>
      </>
    ),
  }
}

/** *Olivia Ortiz as Alice Ng*, for titles and labels. */
function pausedActing(at: At, { operator, customer }: PauseAnswer): string {
  const { acting, pause } = at.words.permits
  const slots = { operator: personName(at, operator) }
  if (!customer) return text(at, pause.anyCustomer, slots)
  return text(at, acting, { ...slots, customer: personName(at, customer) })
}

/** The operators who cannot act now. Nothing if there are none. */
export function PausedOperators({ of }: { of: readonly PauseAnswer[] }, at: StaffAt) {
  const labels = at.words.permits.pause
  if (of.length === 0) return null
  return (
    <section>
      <h2>{labels.title}</h2>
      <p class="note">{labels.about}</p>
      <ul class="cards" aria-label={labels.title}>
        {of.map((pause) => (
          <li key={pause.id} id={pause.id} class="card">
            <h3>
              <Link to={pausePath(pause.id)}>{pausedActing(at, pause)}</Link>
            </h3>
            <Begun of={pause} />
            <PauseButtons of={pause} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Who paused the operator, when, and what they wrote. */
function Begun({ of }: { of: PauseAnswer }, { words }: At) {
  const { customer, by, requestedAt, note } = of
  const labels = words.permits.pause
  return (
    <p>
      <Text
        of={customer ? labels.by : labels.byLeadAt}
        person={<NamedPerson of={by} />}
        time={<Time at={requestedAt} />}
      />
      <Said of={note} />
    </p>
  )
}

function Lifted({ of }: { of: PauseAnswer }, { words }: At) {
  const labels = words.permits.pause
  const lifted = saidIn(of, 'lifted')
  if (!lifted) return null
  const { by, at, note } = lifted
  return (
    <p>
      <Text
        of={by ? labels.lifted : labels.liftedInCode}
        person={<NamedPerson of={by} />}
        time={<Time at={at} />}
      />
      <Said of={note} />
    </p>
  )
}

/** What the reader can do: look at what was done, and lift the pause. */
function PauseButtons({ of: pause }: { of: PauseAnswer }, at: StaffAt) {
  const { impersonation, canResume, isMine, operator } = pause
  const labels = at.words.permits.pause
  const acting = pausedActing(at, pause)
  return (
    <div class="actions">
      {canResume && (
        <NoteAction
          isNeeded
          action={`${pausePath(pause.id)}/resume`}
          kind="primary"
          label={labels.lift}
          name={text(at, labels.liftLabel, { acting })}
          title={labels.liftTitle}
          about={text(at, labels.liftAbout, { operator: personName(at, operator) })}
        />
      )}
      {impersonation !== undefined && (isMine || at.me.role !== 'operator') && (
        <Link
          class="button"
          to={auditPath(impersonation)}
          label={text(at, labels.doneLabel, { acting })}
        >
          {labels.done}
        </Link>
      )}
    </div>
  )
}
