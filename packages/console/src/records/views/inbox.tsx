import type { RowAnswer } from '../../web/answers.ts'
import { counted, type StaffAt, text } from '../../web/kit/at.ts'
import { Link } from '../../web/kit/link.tsx'
import { NoteAction } from '../../web/kit/note-action.tsx'
import { auditPath } from '../../web/kit/paths.ts'
import { Acting, actingText } from '../../web/kit/people.tsx'
import { Said, Text, Ticket } from '../../web/kit/text.tsx'
import { Time } from '../../web/kit/time.tsx'
import type { RecordAnswer } from '../../web/record-answer.ts'
import type { Inbox } from '../api/inbox.ts'
import { RecordCard } from './record-card.tsx'

/** All that waits for a word of the reader. Nothing if there is nothing. */
export function InboxList({ of: { records, alarms } }: { of: Inbox }, { words }: StaffAt) {
  if (records.length + alarms.length === 0) return null
  const isUrgent = ({ kind }: RecordAnswer) => kind === 'emergency' || kind === 'stop'
  return (
    <ul class="cards" aria-label={words.records.inbox}>
      <RecordItems heading="h2" of={records.filter(isUrgent)} />
      {alarms.map((row) => (
        <AlarmCard key={row.id} row={row} />
      ))}
      <RecordItems heading="h2" of={records.filter((each) => !isUrgent(each))} />
    </ul>
  )
}

/** Records below a heading. Nothing if there are none. */
export function RecordList({ name, of }: { name: string; of: readonly RecordAnswer[] }) {
  if (of.length === 0) return null
  return (
    <section>
      <h2>{name}</h2>
      <ul class="cards" aria-label={name}>
        <RecordItems heading="h3" of={of} />
      </ul>
    </section>
  )
}

function RecordItems({ heading, of }: { heading: 'h2' | 'h3'; of: readonly RecordAnswer[] }) {
  return (
    <>
      {of.map((record) => (
        <li key={record.id}>
          <RecordCard heading={heading} of={record} />
        </li>
      ))}
    </>
  )
}

/** One row with an alarm that no lead has acknowledged. */
function AlarmCard({ row }: { row: RowAnswer }, at: StaffAt) {
  const { id, alarm, objection, ticket, reason } = row
  const { alarms } = at.words
  if (!alarm) return null
  const acting = actingText(at, row)
  return (
    <li>
      <article class="card alarm" id={id} aria-label={acting}>
        <h2>{alarm.kinds.map((kind) => alarms.kinds[kind]).join('. ')}</h2>
        <p>
          <Acting row={row} />
          {' · '}
          {alarm.count > 1 && `${counted(at, alarms.times, alarm.count)} · `}
          <Text of={alarms.lastAt} time={<Time at={alarm.at} form="long" />} />
        </p>
        <Said of={objection?.note} />
        {(ticket ?? reason) !== undefined && (
          <p class="why">
            <Ticket of={row} /> <bdi class="free">{reason}</bdi>
          </p>
        )}
        <div class="actions">
          <NoteAction
            action={`${auditPath(id)}/acknowledge`}
            label={alarms.acknowledge}
            name={text(at, alarms.acknowledgeLabel, { acting })}
            about={alarms.acknowledgeAbout}
            fields={{ alarms: String(alarm.count) }}
          />
          <Link class="button" to={auditPath(id)} label={`${alarms.open}: ${acting}`}>
            {alarms.open}
          </Link>
        </div>
      </article>
    </li>
  )
}
