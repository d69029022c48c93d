import type { RowAnswer } from '../../../web/answers.ts'
import { counted, type StaffAt, text } from '../../../web/kit/at.ts'
import { Link } from '../../../web/kit/link.tsx'
import { NoteAction } from '../../../web/kit/note-action.tsx'
import { auditPath } from '../../../web/kit/paths.ts'
import { Acting, actingText } from '../../../web/kit/people.tsx'
import { Said } from '../../../web/kit/said.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { Time } from '../../../web/kit/time.tsx'

/** There are no more on the page. */
const MAX_ALARMS = 100

/** The open alarms. Nothing if there are none. */
export function OpenAlarms({ of }: { of: readonly RowAnswer[] }, at: StaffAt) {
  const { page: labels } = at.words.alarms
  if (of.length === 0) return null
  return (
    <section>
      <h2>{labels.title}</h2>
      <ul class="cards" aria-label={labels.title}>
        {of.map((row) => (
          <AlarmCard key={row.id} row={row} />
        ))}
      </ul>
      {of.length >= MAX_ALARMS && (
        <p class="note">{text(at, labels.many, { count: MAX_ALARMS })}</p>
      )}
    </section>
  )
}

/** One row with an alarm that no lead has acknowledged. */
function AlarmCard({ row }: { row: RowAnswer }, at: StaffAt) {
  const { id, alarm, objection, ticket, ticketUrl, reason, operator } = row
  const { alarms } = at.words
  const { page: labels } = alarms
  if (!alarm) return null
  const acting = actingText(at, row)
  return (
    <li class="card alarm" id={id}>
      <h3>{alarm.kinds.map((kind) => alarms.kinds[kind]).join('. ')}</h3>
      <p>
        <Acting row={row} />
        {' · '}
        {alarm.count > 1 && `${counted(at, labels.times, alarm.count)} · `}
        <Text of={labels.lastAt} time={<Time at={alarm.at} form="long" />} />
      </p>
      <Said of={objection?.note} />
      {(ticket ?? reason) !== undefined && (
        <p class="why">
          <Ticket of={ticket} url={ticketUrl} /> <bdi class="free">{reason}</bdi>
        </p>
      )}
      <div class="actions">
        {at.me.role === 'lead' && operator?.id !== at.me.id && (
          <NoteAction
            action={`${auditPath(id)}/acknowledge`}
            label={alarms.acknowledge}
            name={text(at, labels.acknowledgeLabel, { acting })}
            about={alarms.acknowledgeAbout}
            fields={{ alarms: String(alarm.count) }}
          />
        )}
        <Link class="button" to={auditPath(id)} label={`${labels.open}: ${acting}`}>
          {labels.open}
        </Link>
      </div>
    </li>
  )
}
