import { useState } from 'preact/hooks'
import { Button } from '../../../web/kit/button.tsx'
import { say } from '../../../web/kit/message.tsx'
import { nameOf } from '../../../web/kit/names.ts'
import { NoteDialog } from '../../../web/kit/note-dialog.tsx'
import { auditPath, pausePath } from '../../../web/kit/paths.ts'
import { Link } from '../../../web/kit/router.tsx'
import { Said } from '../../../web/kit/said.tsx'
import { Text, text, words } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { PauseAnswer, PausesAnswer } from '../../../web/pause-answers.ts'
import { useLive } from '../../../web/session/live.ts'
import type { Session } from '../../../web/session/session.ts'
import { problemInWords } from './in-words.ts'

const { pause: labels } = words.permits

/** *Olivia Ortiz as Alice Ng*, for titles, labels and messages. */
export function pausedActing({ operator, customer }: PauseAnswer): string {
  const slots = { operator: nameOf(operator) }
  return customer
    ? text(words.permits.acting, { ...slots, customer: nameOf(customer) })
    : text(labels.anyCustomer, slots)
}

/** The operators who cannot act now, of those whom the reader is shown. Nothing where there is none. */
export function PausedOperators({ session }: { session: Session }) {
  const page = useLive<PausesAnswer>(session, '/pauses')
  const { pauses = [] } = page.value ?? {}
  if (pauses.length === 0) return null
  return (
    <section>
      <h2>{labels.title}</h2>
      <p class="note">{labels.about}</p>
      <ul class="cards" aria-label={labels.title}>
        {pauses.map((pause) => (
          <li key={pause.id} class="card" aria-label={pausedActing(pause)}>
            <h3>
              <bdi class="person">{pausedActing(pause)}</bdi>
            </h3>
            <Begun of={pause} />
            <div class="actions">
              <PauseButtons session={session} pause={pause} onDone={page.reload} />
              <Link
                to={pausePath(pause.id)}
                class="button quiet"
                label={text(labels.openLabel, { acting: pausedActing(pause) })}
              >
                {labels.open}
              </Link>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Who paused the operator, when, and what they wrote. */
export function Begun({ of }: { of: PauseAnswer }) {
  const { customer, by, requestedAt, until, note } = of
  return (
    <p>
      <Text
        of={customer ? labels.by : labels.byLeadAt}
        person={<bdi class="person">{nameOf(by)}</bdi>}
        time={<Time at={requestedAt} />}
      />
      {until !== undefined && (
        <>
          {' · '}
          <Text of={labels.until} time={<Time at={until} />} />
        </>
      )}
      <Said of={note} />
    </p>
  )
}

/** What the reader can do: to look at what was done, and to lift the pause. */
export function PauseButtons(props: {
  session: Session
  pause: PauseAnswer
  onDone: () => Promise<unknown>
}) {
  const { session, pause, onDone } = props
  const { id, impersonation, canResume, isMine, operator } = pause
  const [isAsked, setAsked] = useState(false)
  const acting = pausedActing(pause)
  const lift = async (note: string) => {
    try {
      const path = `/pauses/${encodeURIComponent(id)}/resume`
      await session.ask(path, { method: 'POST', body: { note } })
      say('done', text(labels.liftDone, { acting }))
      session.changed(id)
    } catch (error) {
      say('trouble', problemInWords(error))
    }
    await onDone()
  }
  return (
    <>
      {canResume && (
        <Button
          kind="primary"
          label={text(labels.liftLabel, { acting })}
          onPress={() => setAsked(true)}
        >
          {labels.lift}
        </Button>
      )}
      {impersonation !== undefined && (isMine || session.me.role !== 'operator') && (
        <Link
          to={auditPath(impersonation)}
          class="button"
          label={text(labels.doneLabel, { acting })}
        >
          {labels.done}
        </Link>
      )}
      {isAsked && (
        <NoteDialog
          title={labels.liftTitle}
          confirm={labels.lift}
          subject={acting}
          about={text(labels.liftAbout, { operator: nameOf(operator) })}
          isNeeded
          onConfirm={lift}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  )
}
