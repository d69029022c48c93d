import type { At } from '../../../web/kit/at.ts'
import { Button, Form, NoteField } from '../../../web/kit/form.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { NoteAction } from '../../../web/kit/note-action.tsx'
import { auditPath, personalDataPath, recordPath } from '../../../web/kit/paths.ts'
import { Said } from '../../../web/kit/said.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { ErasureRequestAnswer, PersonAnswer } from '../server/answers.ts'
import type { InForce } from '../server/in-force.ts'

/** One person asks, and another one confirms. */
export function ErasePart({ person }: { person: PersonAnswer }, { words }: At) {
  const { request, inForce, isMe } = person
  const labels = words.personalData.erase
  const isBlocked = inForce.length > 0
  return (
    <section>
      <h2>{labels.title}</h2>
      <p class="note">{labels.about}</p>
      {isBlocked && <Blocked by={inForce} />}
      {request && <AskedErasure of={request} />}
      {isMe ? (
        <p>{labels.ofMe}</p>
      ) : request ? (
        <Confirm request={request} isBlocked={isBlocked} />
      ) : (
        !isBlocked && <Ask id={person.id} />
      )}
    </section>
  )
}

/** Why nothing can be erased, each reason once, with the way to what it is about. */
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

function AskedErasure(
  { of: { by, at, lapsesAt, note, isBegun } }: { of: ErasureRequestAnswer },
  { words }: At,
) {
  const labels = words.personalData.erase
  return (
    <div class="card">
      <p>
        <Text
          of={labels.asked}
          person={<bdi class="person">{by.name ?? by.id}</bdi>}
          time={<Time at={at} />}
          until={<Time at={lapsesAt} />}
        />
      </p>
      <Said of={note} />
      {isBegun && <p>{labels.begun}</p>}
    </div>
  )
}

function Confirm(
  { request, isBlocked }: { request: ErasureRequestAnswer; isBlocked: boolean },
  { words }: At,
) {
  const labels = words.personalData.erase
  if (request.isMine) return <p>{labels.mine}</p>
  if (isBlocked || !request.canConfirm) return null
  return (
    <NoteAction
      action={`${recordPath(request.id)}/confirmed`}
      label={request.isBegun ? labels.finish : labels.confirm}
      kind="danger"
      about={labels.confirmAbout}
    />
  )
}

function Ask({ id }: { id: string }, { words }: At) {
  const labels = words.personalData.erase
  return (
    <Form class="card form" action={`${personalDataPath(id)}/erase`}>
      {(field) => (
        <>
          <NoteField isNeeded of={field('note')} label={labels.note} help={labels.noteHelp} />
          <div class="actions">
            <Button kind="danger">{labels.go}</Button>
          </div>
        </>
      )}
    </Form>
  )
}
