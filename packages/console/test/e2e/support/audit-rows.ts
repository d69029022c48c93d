import { createHash } from 'node:crypto'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { pendingOf } from '../../../src/ledger/recording/compose.ts'
import { ledgerOf } from '../../../src/ledger/recording/ledger.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { type DeploymentOptions, deploy } from '../../support/deployment.ts'

/** An impersonation of the past. */
export interface Past {
  /** When it was asked for, in milliseconds since the epoch. */
  readonly at: number
  readonly operator?: string
  readonly customer?: string
  readonly customerName?: string
  readonly ticket?: string
  readonly reason?: string
  /** Paths that were read, and paths that were changed. */
  readonly reads?: readonly string[]
  readonly changes?: readonly string[]
  /** Paths that the guard refused. */
  readonly refused?: readonly string[]
  /** Its end. Without it, its time was over after ten minutes. */
  readonly end?: 'requested' | 'user'
  /** The note of an objection of the customer. */
  readonly objection?: string
}

const AUDIENCE = 'https://shop.example.com/orders'
const NAMES: Readonly<Record<string, string>> = {
  olivia: 'Olivia Okafor',
  oscar: 'Oscar Öhman',
  alice: 'Alice Ng',
  bob: 'Bob Marsh',
}

/** The id of the impersonation with this number. */
export const idOf = (number: number) =>
  createHash('sha256').update(`past ${number}`).digest('base64url')

/** Stores impersonations of the past, as a recorder of another process did then. */
export async function storePast(audit: AuditStore, past: readonly Past[], firstNumber = 0) {
  const { log } = ledgerOf(audit)
  const end = AbortSignal.timeout(10_000)
  for (let from = 0; from < past.length; from += 100) {
    const part = past.slice(from, from + 100)
    const entries = part.flatMap((each, index) => entriesOf(each, firstNumber + from + index))
    await log.append(entries.map(pendingOf), end)
  }
}

/** A deployment whose audit has this past. */
export async function deployWithPast(past: readonly Past[], options?: DeploymentOptions) {
  const deployment = await deploy(options)
  await storePast(deployment.audit, past)
  return deployment
}

/** Each text wherever a person writes one, and the path that was read each time. */
export const hostilePast = (texts: readonly string[], path: string): Past[] =>
  texts.map((text, index) => ({
    at: Date.now() - 3_600_000 + index,
    ticket: text.slice(0, 100),
    reason: text,
    customerName: text,
    objection: text,
    reads: [path],
  }))

function entriesOf(past: Past, number: number): AuditEntry[] {
  const { at, operator = 'olivia', customer = 'alice', end, objection } = past
  const { ticket = 'SUP-123', reason = 'An order did not arrive' } = past
  const base = {
    id: idOf(number),
    userId: customer,
    mayAct: { sub: operator, clientId: 'shop' },
    actor: { sub: operator },
    client: 'shop',
    context: { ticketId: ticket, reason, supportEngineerId: operator },
    names: {
      user: {
        name: past.customerName ?? NAMES[customer] ?? customer,
        email: `${customer}@example.com`,
      },
      actor: { name: NAMES[operator] ?? operator },
    },
  }
  let time = at
  const then = (event: AuditEntry['event'], more: Partial<AuditEntry> = {}): AuditEntry => {
    time += 1000
    return { ...base, event, timeMs: time, ...more }
  }
  const expiresAt = Math.floor(at / 1000)
  const use = (method: string, path: string, status: number) => ({
    use: { useId: `${number} ${time}`, audience: AUDIENCE, method, path, status },
  })
  const refusal = {
    by: 'impersonation',
    error: 'access_denied',
    description: 'not while acting',
  } as const
  return [
    then('impersonation.issued', { expiresAt: expiresAt + 60, requestedBy: 'support-backend' }),
    then('impersonation.started', { expiresAt: expiresAt + 600, jti: `impersonation:${base.id}` }),
    ...(past.reads ?? []).map((path) => then('impersonation.used', use('GET', path, 200))),
    ...(past.changes ?? []).map((path) => then('impersonation.used', use('PUT', path, 204))),
    ...(past.refused ?? []).map((path) => {
      const { use: refused } = use('PUT', path, 403)
      return then('impersonation.used', { use: { ...refused, refused: refusal } })
    }),
    ...(end
      ? [
          then('impersonation.ended', {
            end: { at: time / 1000, cause: end, by: { sub: end === 'user' ? customer : operator } },
          }),
        ]
      : []),
    ...(objection === undefined
      ? []
      : [then('support.objected', { by: customer, note: objection })]),
  ]
}
