import { createHash } from 'node:crypto'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { pendingOf } from '../src/ledger/recording/compose.ts'
import { auditLog } from '../src/ledger/recording/log.ts'
import { marks } from '../src/ledger/sealing/marks.ts'
import type { AuditStore } from '../src/ledger/store.ts'

/** The first moment of the year, in milliseconds since the epoch. */
export const YEAR_BEGINS = Date.UTC(2025, 0, 1)
export const YEAR_ENDS = Date.UTC(2026, 0, 1)

const OPERATORS = ['Olivia', 'Oscar', 'Odette', 'Omar', 'Oxana', 'Otto', 'Oriana', 'Owen']
const CUSTOMERS = 1500
const BATCH = 500
/** Requests of each impersonation that started. */
const USES = 7

/**
 * Fills a store with a year of impersonations: asked for, started, some requests, ended or expired.
 * Some were refused, or put on hold.
 *
 * @returns the number of entries
 */
export async function fillYear(store: AuditStore, impersonations: number): Promise<number> {
  const { append } = auditLog(
    store,
    marks([[Buffer.from('the key of the benchmark of the audit')]]),
  )
  const end = new AbortController().signal
  let [count, entries]: [number, AuditEntry[]] = [0, []]
  const write = async () => {
    await append(entries.map(pendingOf), end)
    count += entries.length
    entries = []
  }
  for (let index = 0; index < impersonations; index += 1) {
    entries.push(...entriesOf(index, impersonations))
    if (entries.length >= BATCH) await write()
  }
  await write()
  return count
}

export const operatorId = (index: number) => `operator-${index % OPERATORS.length}`
export const operatorName = (index: number) => OPERATORS[index % OPERATORS.length] ?? ''
export const customerId = (index: number) => `customer-${(index * 7919) % CUSTOMERS}`
export const ticketOf = (index: number) => `SUP-${1000 + (index >> 1)}`
export const idOf = (index: number) =>
  createHash('sha256').update(`impersonation ${index}`).digest('base64url')

function entriesOf(index: number, all: number): AuditEntry[] {
  const start = YEAR_BEGINS + Math.floor(((YEAR_ENDS - YEAR_BEGINS) / all) * index)
  const name = operatorName(index)
  const common = {
    id: idOf(index),
    userId: customerId(index),
    names: {
      user: { name: `Alice Example ${index}`, email: `alice.${index}@customers.example.com` },
      actor: { name: `${name} Müller`, email: `${name.toLowerCase()}@support.example.com` },
    },
  }
  const actor = { sub: operatorId(index) }
  const asked: AuditEntry = {
    event: 'impersonation.issued',
    timeMs: start,
    ...common,
    mayAct: { sub: actor.sub, clientId: 'shop' },
    requestedBy: 'support-backend',
    resource: 'https://shop.example.com/api',
    scope: 'orders:read orders:write',
    expiresAt: start / 1000 + 60,
    context: {
      ticketId: ticketOf(index),
      reason: `The order ${index} did not arrive, and the customer asks where it is`,
    },
  }
  if (index % 40 === 0) {
    const denial = { stage: 'exchange', error: 'access_denied', reason: 'not on duty' } as const
    return [asked, { event: 'impersonation.denied', timeMs: start + 900, ...common, actor, denial }]
  }
  const started: AuditEntry = {
    event: 'impersonation.started',
    timeMs: start + 1500,
    ...common,
    actor,
    client: 'shop',
    resource: 'https://shop.example.com/api',
    scope: 'orders:read',
    jti: `impersonation:${common.id}`,
    expiresAt: start / 1000 + 600,
  }
  const refused = { by: 'impersonation', description: 'only the customer' } as const
  const uses = Array.from({ length: USES }, (_, step): AuditEntry => {
    const use = {
      useId: `${index}.${step}`,
      audience: 'https://shop.example.com/api',
      method: step === 5 ? 'PATCH' : 'GET',
      path: `/orders/${index}/${step}`,
      status: 200,
      ...(step === 6 && index % 50 === 1 ? { refused } : {}),
    }
    return {
      event: 'impersonation.used',
      timeMs: start + 3000 + step * 7000,
      ...common,
      actor,
      use,
    }
  })
  const time = start + 200_000
  const ended: AuditEntry = {
    event: 'impersonation.ended',
    timeMs: time,
    ...common,
    end: { at: time / 1000, cause: index % 4 === 0 ? 'user' : 'requested', by: actor },
  }
  const held: AuditEntry = {
    event: 'support.held',
    timeMs: time + 1,
    ...common,
    by: 'lead',
    note: 'a case',
  }
  return [
    asked,
    started,
    ...uses,
    ...(index % 3 === 0 ? [] : [ended]),
    ...(index % 500 === 3 ? [held] : []),
  ]
}
