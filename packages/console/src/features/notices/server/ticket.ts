import {
  type AuditRow,
  noticeKindDue,
  overAt,
  quietAt,
} from 'oidc-provider-impersonation-verify/format'
import type { AuditStore } from '../../../ledger/store.ts'

/** So many impersonations for one ticket are read: the newest. */
const MAX_READ = 100

/** All that is told of a ticket. The first comes first. */
export type TicketRows = readonly [AuditRow, ...AuditRow[]]

/** The notice of a ticket. `joined`: it is told with another impersonation for it, or was. */
interface TicketTelling {
  readonly kind: 'ended' | 'started'
  readonly is: 'joined' | 'told'
  readonly rows: TicketRows
}

/** All that started for the ticket, by whomever. The first comes first. */
export async function rowsOfTicket(
  store: AuditStore,
  row: AuditRow,
  now: number,
): Promise<readonly AuditRow[]> {
  const { customer, ticket } = row
  if (!customer || ticket === undefined) return [row]
  const filter = { customer: customer.id, ticket }
  const { rows } = await store.find(filter, { limit: MAX_READ, now })
  const others = rows.filter(
    (other) =>
      other.id !== row.id && other.customer?.id === customer.id && other.startedAt !== undefined,
  )
  return [row, ...others].toSorted(
    (one, other) => startOf(one) - startOf(other) || (one.id < other.id ? -1 : 1),
  )
}

/**
 * A customer is told of a ticket, and not of each start for it: once when it begins, by the first impersonation,
 * and once when it is over, by the last. That tells the whole ticket, also what was told before.
 *
 * @param all see {@link rowsOfTicket}
 * @returns `undefined` where nothing is due of this row
 */
export function chooseTelling(
  row: AuditRow,
  all: readonly AuditRow[],
  now: number,
): TicketTelling | undefined {
  const kind = noticeKindDue(row, now)
  if (!kind) return undefined
  const together = goingOnWith(row, all)
  const [first = row, ...rest] = all.slice(0, all.indexOf(together.at(-1) ?? row) + 1)
  const rows: TicketRows = [first, ...rest]
  const isFirst = together.find(({ deliveries }) => deliveries?.customer?.due.started) === row
  if (kind === 'ended' && together.every((each) => quietAt(each) <= now)) {
    const ends = together.filter(({ deliveries }) => deliveries?.customer?.due.ended)
    const last = ends.reduce((one, each) => (overAt(each) > overAt(one) ? each : one), row)
    return { kind, is: last === row ? 'told' : 'joined', rows }
  }
  // It goes on, and its beginning was to be told with its end.
  const isStartToTell = row.deliveries?.customer?.told.started === undefined
  if (isFirst && isStartToTell) return { kind: 'started', is: 'told', rows }
  return { kind, is: 'joined', rows }
}

const startOf = ({ startedAt, at }: AuditRow) => startedAt ?? at

/** The impersonations that go on without a pause, with this row among them. */
function goingOnWith(row: AuditRow, all: readonly AuditRow[]): readonly AuditRow[] {
  let together: AuditRow[] = []
  for (const each of all) {
    const isAnother = startOf(each) > Math.max(...together.map(openUntil))
    if (isAnother && together.includes(row)) break
    together = isAnother ? [each] : [...together, each]
  }
  return together
}

/** Returns the time from which on another start is told anew. */
function openUntil(row: AuditRow): number {
  const { told, last } = row.deliveries?.customer ?? {}
  const isToldToBeOver = told?.ended !== undefined && last?.is !== 'joined'
  return isToldToBeOver ? overAt(row) : quietAt(row)
}
