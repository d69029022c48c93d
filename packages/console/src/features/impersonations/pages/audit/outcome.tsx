import {
  type AuditRow,
  isAlarmOpen,
  type Outcome,
  unapprovedIn,
} from 'oidc-provider-impersonation-verify/format'
import type { RowAnswer } from '../../../../web/answers.ts'
import { Badge } from '../../../../web/kit/badge.tsx'
import { outcomeText } from '../../../../web/kit/outcome.ts'
import { text, words } from '../../../../web/kit/text.tsx'
import { UnapprovedMark } from '../../../../web/kit/unapproved.tsx'

const OUTCOME_TONES: Partial<Record<Outcome, 'alarm' | 'good' | 'warning'>> = {
  running: 'good',
  replay: 'alarm',
  refused: 'warning',
  user: 'warning',
}

/** How it stands, or how it ended. */
export function OutcomeBadge({ row, outcome }: { row: AuditRow; outcome: Outcome }) {
  return <Badge tone={OUTCOME_TONES[outcome] ?? 'plain'}>{outcomeText(row, outcome)}</Badge>
}

/** An alarm that an open one of this outcome repeats. */
const REPEATED_OUTCOMES: Partial<Record<Outcome, string>> = { replay: 'replayed' }

/**
 * Whether nobody approved it, the alarms of a row, and the hold.
 *
 * @param besides the outcome that stands beside them: an alarm in the same words is left away
 */
export function Marks({ row, besides }: { row: RowAnswer; besides?: Outcome }) {
  const { alarm, refusedActs, hold, review } = row
  const unapproved = unapprovedIn(review)
  const isRefusedBefore = unapproved === 'after_refusal'
  const open = isAlarmOpen(row)
  const repeated = open && besides ? REPEATED_OUTCOMES[besides] : undefined
  const hasSlip = refusedActs && !alarm?.kinds.includes('refused')
  if (!alarm && !hasSlip && !hold?.isHeld && !unapproved) return null
  return (
    <span class="marks">
      <UnapprovedMark of={unapproved} isSeen={isRefusedBefore && alarm !== undefined && !open} />
      {alarm?.kinds.map((kind) => {
        if (kind === repeated || kind === 'after_refusal') return null
        const name = words.alarms.short[kind]
        return (
          <Badge key={kind} tone={open ? 'alarm' : 'plain'}>
            {open ? name : text(words.alarms.seen, { alarm: name })}
          </Badge>
        )
      })}
      {hasSlip && <Badge>{words.alarms.short.refused}</Badge>}
      {hold?.isHeld && <Badge tone="warning">{words.impersonations.audit.onHold}</Badge>}
    </span>
  )
}
