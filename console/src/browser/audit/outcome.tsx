import type { RowAnswer } from '../../api/answers.ts'
import { isAlarmOpen, type Outcome } from '../../audit/row.ts'
import { Badge } from '../kit.tsx'
import { text, words } from '../text.tsx'

const TONES: Partial<Record<Outcome, 'alarm' | 'good' | 'warning'>> = {
  running: 'good',
  waiting: 'good',
  replay: 'alarm',
  refused: 'warning',
  user: 'warning',
}

/** How it stands, or how it ended. */
export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  return <Badge tone={TONES[outcome] ?? 'plain'}>{words.audit.outcomes[outcome]}</Badge>
}

/** The alarms of a row, and the hold. */
export function Marks({ row }: { row: RowAnswer }) {
  const { alarm, hold } = row
  const isOpen = isAlarmOpen(row)
  if (!alarm && !hold?.isHeld) return null
  return (
    <span class="marks">
      {alarm?.kinds.map((kind) => {
        const name = words.audit.alarmsShort[kind]
        return (
          <Badge key={kind} tone={isOpen ? 'alarm' : 'plain'}>
            {isOpen ? name : text(words.audit.alarmSeen, { alarm: name })}
          </Badge>
        )
      })}
      {hold?.isHeld && <Badge tone="warning">{words.audit.onHold}</Badge>}
    </span>
  )
}
