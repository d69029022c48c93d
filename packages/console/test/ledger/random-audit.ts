import { createHash } from 'node:crypto'
import type {
  AuditEntry,
  AuditEventName,
  AuditRow,
} from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../../src/ledger/filters.ts'
import { isConditional } from '../../src/ledger/missing.ts'
import type { AuditStore } from '../../src/ledger/store.ts'

/** Numbers that are the same at each run: mulberry32. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const EVENTS: readonly AuditEventName[] = [
  'impersonation.issued',
  'impersonation.started',
  'impersonation.denied',
  'impersonation.replayed',
  'impersonation.ended',
  'impersonation.used',
  'impersonation.used',
  'impersonation.used',
  'support.refused',
  'support.continued',
  'support.acknowledged',
  'support.held',
  'support.released',
  'support.objected',
  'support.exported',
  'support.told',
  'support.untold',
]
const CAUSES = ['requested', 'user', 'policy', 'operator_signed_out', 'replay'] as const
export const START = 1_800_000_000_000

export const idOf = (number: number) =>
  createHash('sha256').update(String(number)).digest('base64url')

/** Groups of entries about at most `rows` impersonations, one each second. */
export function randomEntries(seed: number, count: number, rows = 40): AuditEntry[][] {
  const random = numbersFrom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  let time = START
  const begun = new Set<number>()

  function entry(): AuditEntry {
    time += Math.floor(random() * 2) * 1000
    const number = Math.floor(random() * rows)
    const picked = pick(EVENTS)
    // What is done to a row never begins one.
    const isTooEarly = isConditional({ event: picked, timeMs: time }) && !begun.has(number)
    const event = isTooEarly ? 'impersonation.issued' : picked
    if (/\.(?:issued|started|ended|used)$/.test(event)) begun.add(number)
    const base = { event, timeMs: time, id: idOf(number), userId: `customer-${number % 7}` }
    const actor = { sub: `operator-${number % 3}` }
    const context = { ticketId: `SUP-${number % 9}`, reason: `Straße ${number % 5} "quoted"` }
    switch (event) {
      case 'impersonation.issued':
      case 'impersonation.started': {
        const expiresAt = Math.floor(time / 1000) + Math.floor(random() * 600)
        const names = { user: { name: 'Älice', email: `a${number}@example.com` } }
        const toTell = ['started', 'ended'].map(
          (kind) => ({ to: 'customer', kind, after: 60 }) as const,
        )
        return { ...base, actor, context, expiresAt, jti: `jti-${number}`, names, toTell }
      }
      case 'impersonation.ended':
        return { ...base, actor, context, end: { at: time / 1000, cause: pick(CAUSES) } }
      case 'impersonation.used': {
        const refused = random() < 0.2 ? ('insufficient_scope' as never) : undefined
        const use = { useId: 'u', audience: 'x', method: pick(['GET', 'PUT']), path: '/a', refused }
        return { ...base, actor, use: { ...use, status: pick([200, 403]) } as never }
      }
      case 'impersonation.denied':
      case 'support.refused': {
        const denial = { stage: 'exchange', error: 'x', reason: pick(['a', 'b']) } as never
        return random() < 0.5
          ? { event, timeMs: time, actor, context, denial }
          : { ...base, actor, denial }
      }
      case 'support.told':
      case 'support.untold': {
        const attempt = Math.floor(random() * 9)
        const about = { to: 'customer', kind: pick(['started', 'ended']), count: 1 } as const
        return { ...base, delivery: { ...about, attempt, failures: 1 } }
      }
      case 'support.exported':
        return { event, timeMs: time, by: 'grace' }
      default:
        return { ...base, by: 'grace', note: 'because' }
    }
  }

  return Array.from({ length: count }, () =>
    Array.from({ length: Math.floor(random() * 8) }, entry),
  )
}

/** All that the filter finds, page by page. */
export async function all(
  store: AuditStore,
  filter: RowFilter,
  { limit, now }: { limit: number; now: number },
): Promise<AuditRow[]> {
  const rows: AuditRow[] = []
  for (let before: string | undefined; ; ) {
    const page = await store.find(filter, { before, limit, now })
    rows.push(...page.rows)
    if (page.next === undefined) return rows
    before = page.next
  }
}
