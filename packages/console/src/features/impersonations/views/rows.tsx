import {
  type AuditPerson,
  type AuditRow,
  endingOf,
  isAlarmOpen,
  type Outcome,
} from 'oidc-provider-impersonation-verify/format'
import type { RowAnswer } from '../../../web/answers.ts'
import { type At, type StaffAt, text } from '../../../web/kit/at.ts'
import { Badge, UnapprovedMark } from '../../../web/kit/badge.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { auditPath } from '../../../web/kit/paths.ts'
import { Acting, actingText, personName } from '../../../web/kit/people.tsx'
import { Table } from '../../../web/kit/table.tsx'
import { Ticket } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import { maySee } from '../../../web/may.ts'

/** Two names of ordinary length, in characters: they stay on one line. */
const MAX_LENGTH_ON_ONE_LINE = 36

/** The impersonations, one row each. */
export function ImpersonationRows({ rows }: { rows: readonly RowAnswer[] }, { words }: StaffAt) {
  const { audit } = words.impersonations
  return (
    <Table
      label={audit.list}
      rows={rows}
      names={audit.columns}
      numeric={['reads', 'changes', 'refused']}
      cells={{
        who: (row) => <WhoActs row={row} />,
        started: ({ startedAt, at }) => <Time at={startedAt ?? at} form="recent" />,
        ticket: (row) => <Ticket of={row} />,
        reason: ({ reason }) => reason && <bdi class="free">{reason}</bdi>,
        outcome: (row) => <OutcomeBadge row={row} />,
        reads: ({ reads }) => reads,
        changes: ({ changes }) => changes,
        refused: ({ refused, denied }) => refused + denied,
        alarms: (row) => <RowMarks row={row} />,
      }}
    />
  )
}

function WhoActs({ row }: { row: RowAnswer }, at: StaffAt) {
  const isShort = actingText(at, row).length <= MAX_LENGTH_ON_ONE_LINE
  const who = (
    <span class={isShort ? 'one-line' : undefined}>
      <Acting row={row} />
    </span>
  )
  return maySee(at.me, row) ? <Link to={auditPath(row.id)}>{who}</Link> : who
}

const OUTCOME_TONES: Partial<Record<Outcome, 'alarm' | 'good' | 'warning'>> = {
  running: 'good',
  replay: 'alarm',
  refused: 'warning',
  user: 'warning',
}

/** The state, or the end: *Running now*, *Ended by Grace Lindqvist*. */
export function OutcomeBadge({ row }: { row: RowAnswer }, at: At) {
  const { end, expiresAt, outcome } = row
  const { endings, outcomes } = at.words.impersonations.audit
  const known: Readonly<Record<string, string>> = endings
  const person = personName(at, personOfRow(row, end?.by, end?.name))
  return (
    <>
      <Badge tone={OUTCOME_TONES[outcome] ?? 'plain'}>
        {text(at, known[endingOf(row) ?? ''] ?? outcomes[outcome], { person })}
      </Badge>
      {/* No event tells that the time is over. */}
      {(outcome === 'running' || outcome === 'waiting') && <time hidden data-until={expiresAt} />}
    </>
  )
}

/** A person by the id, with the name that is known, or that the row has. */
export function personOfRow(
  { operator, customer }: Pick<AuditRow, 'customer' | 'operator'>,
  id: string | undefined,
  name: string | undefined,
): AuditPerson | undefined {
  if (id === undefined) return undefined
  if (name !== undefined) return { id, name }
  return [operator, customer].find((person) => person?.id === id) ?? { id }
}

/** Marks of a row: nobody approved it, its alarms, and the hold. */
export function RowMarks({ row }: { row: RowAnswer }, at: At) {
  const { acknowledged, alarm, refusedActs, hold } = row
  const { alarms, impersonations } = at.words
  const open = isAlarmOpen(row)
  const kinds = alarm?.kinds ?? []
  return (
    <span class="marks">
      <UnapprovedMark of={row} />
      {kinds.map((kind) => {
        const name = alarms.short[kind]
        return (
          <Badge key={kind} tone={open ? 'alarm' : 'plain'}>
            {open || !acknowledged ? name : text(at, alarms.seen, { alarm: name })}
          </Badge>
        )
      })}
      {refusedActs && !kinds.includes('refused') && <Badge>{alarms.short.refused}</Badge>}
      {hold?.isHeld && <Badge tone="warning">{impersonations.audit.onHold}</Badge>}
    </span>
  )
}
