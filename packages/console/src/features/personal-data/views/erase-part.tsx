import { RecordCard } from '../../../records/views/record-card.tsx'
import type { At, StaffAt } from '../../../web/kit/at.ts'
import { Button, Form, NoteField } from '../../../web/kit/form.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { auditPath, personalDataPath, recordPath } from '../../../web/kit/paths.ts'
import type { PersonAnswer } from '../server/api.ts'
import type { InForce } from '../server/in-force.ts'

/** One person asks, and another one confirms. */
export function ErasePart({ of: person }: { of: PersonAnswer }, { words }: StaffAt) {
  const { request, inForce, isMe } = person
  const labels = words.personalData.erase
  const isBlocked = inForce.length > 0
  return (
    <section>
      <h2>{labels.title}</h2>
      <p class="note">{labels.about}</p>
      {isBlocked && <Blocked by={inForce} />}
      {request && <RecordCard isWhole of={isBlocked ? { ...request, may: [] } : request} />}
      {request && request.said.length > 0 && <p>{labels.begun}</p>}
      {request?.isMine && <p>{labels.mine}</p>}
      {isMe && <p>{labels.ofMe}</p>}
      {!request && !isMe && !isBlocked && <Ask id={person.id} />}
    </section>
  )
}

/** The reasons for which nothing can be erased, each once, with links. */
function Blocked({ by }: { by: readonly InForce[] }, { words }: At) {
  const labels = words.personalData.erase
  return (
    <div class="message refused">
      <div>
        <p>{labels.blocked}</p>
        <ul>
          {[...Map.groupBy(by, ({ why }) => why)].map(([why, each]) => (
            <li key={why}>
              {labels.why[why]}
              {each.slice(0, 3).flatMap(({ kind, id }) => [
                ' ',
                <Link
                  key={id}
                  to={kind === 'permit' ? recordPath(id) : auditPath(id)}
                  label={`${labels.open}: ${labels.why[why]}`}
                >
                  {labels.open}
                </Link>,
              ])}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

function Ask({ id }: { id: string }, { words }: At) {
  const labels = words.personalData.erase
  return (
    <Form class="card form" action={`${personalDataPath(id)}/erase`}>
      {(field) => (
        <>
          <NoteField required of={field('note')} label={labels.note} help={labels.noteHelp} />
          <div class="actions">
            <Button kind="danger">{labels.go}</Button>
          </div>
        </>
      )}
    </Form>
  )
}
