import type { RowAnswer } from '../../../web/answers.ts'
import { Opens } from '../../../web/kit/back.tsx'
import { Badge } from '../../../web/kit/badge.tsx'
import { Button } from '../../../web/kit/button.tsx'
import { Acting, actingOf, Moment } from '../../../web/kit/in-words.tsx'
import { auditPath } from '../../../web/kit/paths.ts'
import { Said } from '../../../web/kit/said.tsx'
import { counted, text, words } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'

const { page: labels } = words.alarms

/** One row with an alarm. */
export function AlarmCard(props: {
  row: RowAnswer
  /** Whether no lead has acknowledged it yet. */
  isOpen: boolean
  /** `undefined` for who may not acknowledge. */
  onAcknowledge: (() => void) | undefined
}) {
  const { row, isOpen, onAcknowledge } = props
  const { alarm, objection, ticket, reason } = row
  if (!alarm) return null
  return (
    <li class="card alarm">
      <h2>{alarm.kinds.map((kind) => words.alarms.kinds[kind]).join('. ')}</h2>
      <p>
        <Acting row={row} />
        {' · '}
        {alarm.count > 1 && <>{counted(labels.times, alarm.count)} · </>}
        <Moment of={labels.lastAt} at={alarm.at} />
      </p>
      <Said of={objection?.note} />
      {(ticket ?? reason) !== undefined && (
        <p class="why">
          <Ticket of={ticket} url={row.ticketUrl} /> <bdi class="free">{reason}</bdi>
        </p>
      )}
      <div class="actions">
        {isOpen ? (
          onAcknowledge && (
            <Button
              label={text(labels.acknowledgeLabel, { acting: actingOf(row) })}
              onPress={onAcknowledge}
            >
              {words.alarms.acknowledge}
            </Button>
          )
        ) : (
          <Badge tone="good">{labels.done}</Badge>
        )}
        <Opens to={auditPath(row.id)}>{labels.open}</Opens>
      </div>
    </li>
  )
}
