import { useState } from 'preact/hooks'
import { Button } from '../../../web/kit/button.tsx'
import { nameOf } from '../../../web/kit/names.ts'
import { NoteDialog } from '../../../web/kit/note-dialog.tsx'
import { useNote } from '../../../web/kit/note-field.tsx'
import { auditPath, permitPath } from '../../../web/kit/paths.ts'
import { Link } from '../../../web/kit/router.tsx'
import { Said } from '../../../web/kit/said.tsx'
import { counted, Text, text, words } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { ErasedAnswer, ErasureRequestAnswer, PersonAnswer } from '../server/answers.ts'
import type { InForce } from '../server/in-force.ts'
import { type Perform, personApi } from './paths.ts'

const { erase: labels } = words.personalData

/** One person asks, and another one confirms. */
export function ErasePart({ person, perform }: { person: PersonAnswer; perform: Perform }) {
  const { request, inForce, isMe } = person
  const isBlocked = inForce.length > 0
  return (
    <section>
      <h2>{labels.title}</h2>
      <p class="note">{labels.about}</p>
      {isBlocked && <Blocked by={inForce} />}
      {request && <Request of={request} />}
      {isMe ? (
        <p>{labels.ofMe}</p>
      ) : request ? (
        <Confirm request={request} person={person} isBlocked={isBlocked} perform={perform} />
      ) : (
        !isBlocked && <Ask id={person.id} perform={perform} />
      )}
    </section>
  )
}

/** Why nothing can be erased, each reason once, with the way to what it is about. */
function Blocked({ by }: { by: readonly InForce[] }) {
  const byReason = [...Map.groupBy(by, ({ why }) => why)]
  return (
    <div class="message refused">
      <div>
        <p>{labels.blocked}</p>
        <ul>
          {byReason.map(([why, each]) => (
            <li key={why}>
              {labels.why[why]}{' '}
              {each.slice(0, 3).map(({ kind, id }) => (
                <>
                  <Link
                    key={id}
                    to={kind === 'permit' ? permitPath(id) : auditPath(id)}
                    label={`${labels.open}: ${labels.why[why]}`}
                  >
                    {labels.open}
                  </Link>{' '}
                </>
              ))}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

function Request({ of: { by, at, lapsesAt, note, isBegun } }: { of: ErasureRequestAnswer }) {
  return (
    <div class="card">
      <p>
        <Text
          of={labels.asked}
          person={<bdi class="person">{nameOf(by)}</bdi>}
          time={<Time at={at} />}
          until={<Time at={lapsesAt} />}
        />
      </p>
      <Said of={note} />
      {isBegun && <p>{labels.begun}</p>}
    </div>
  )
}

function Confirm(props: {
  request: ErasureRequestAnswer
  person: PersonAnswer
  isBlocked: boolean
  perform: Perform
}) {
  const { request, person, isBlocked, perform } = props
  const [isOpen, setOpen] = useState(false)
  if (request.isMine) return <p>{labels.mine}</p>
  if (isBlocked || !request.canConfirm) return null
  const go = request.isBegun ? labels.finish : labels.confirm
  return (
    <div class="actions">
      <Button kind="danger" onPress={() => setOpen(true)}>
        {go}
      </Button>
      {isOpen && (
        <NoteDialog
          title={text(labels.confirmTitle, { person: nameOf(person) })}
          about={labels.confirmAbout}
          subject={person.id}
          isNeeded={false}
          confirm={go}
          onClose={() => setOpen(false)}
          onConfirm={(note) =>
            perform<ErasedAnswer>(
              `/personal-data/requests/${encodeURIComponent(request.id)}/confirm`,
              note === '' ? {} : { note },
              ({ impersonations, permits }) => counted(labels.done, impersonations + permits),
            )
          }
        />
      )}
    </div>
  )
}

function Ask({ id, perform }: { id: string; perform: Perform }) {
  const { field, take } = useNote({
    ...{ id: 'why', label: labels.note, help: labels.noteHelp, isNeeded: true },
  })
  const ask = async () => {
    const note = take()
    if (note !== undefined) await perform(`${personApi(id)}/erase`, { note }, () => labels.wasAsked)
  }
  return (
    <form class="card form" noValidate onSubmit={(event) => event.preventDefault()}>
      {field}
      <div class="actions">
        <Button kind="danger" isDefault onPress={ask}>
          {labels.go}
        </Button>
      </div>
    </form>
  )
}
