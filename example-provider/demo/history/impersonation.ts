import { createHash } from 'node:crypto'
import type { UseRefusal } from 'oidc-provider-impersonation-resource-server'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { SHOP_CLIENT_ID, SUPPORT_BACKEND } from '../../clients.ts'
import { type Known, LEADS, type PastCustomer } from './people.ts'
import type { Random } from './random.ts'

/** One ticket that an operator works on. */
export interface Case {
  readonly number: number
  /** The time of the operator's request to act, in milliseconds since the epoch. */
  readonly at: number
  readonly operator: Known
  readonly customer: PastCustomer
  readonly mayChange: boolean
  readonly ticketId: string
  readonly reason: string
  /** The URL of the orders API. */
  readonly resource: string
  /** The number of the impersonation that the operator continues. */
  readonly continues?: number | undefined
  readonly permit?: string | undefined
  /** The reason for a review afterwards. */
  readonly review?: string | undefined
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

/** The same at each run, in the form of an id of the provider. */
export const idOf = (kind: string, number: number) =>
  createHash('sha256').update(`${kind} ${number}`).digest('base64url')

const only = ({ name, email }: Known) => ({ name, email })

/** The members of all entries about a case. */
export const about = ({ operator, customer }: Case) => ({
  userId: customer.id,
  names: { user: only(customer), actor: only(operator) },
})

/** An entry by which a person comments on a case. */
export const saidBy = (it: Case, by: Known) => {
  const { names, ...more } = about(it)
  return { ...more, by: by.id, names: { ...names, by: only(by) } }
}

export const boundTo = ({ operator }: Case) => ({ sub: operator.id, clientId: SHOP_CLIENT_ID })

export const scopeOf = ({ mayChange }: Case) =>
  mayChange ? 'orders:read orders:write' : 'orders:read'

/** The kinds of ends, each as often as it occurs here. */
const ENDS = [
  ...Array<'operator'>(60).fill('operator'),
  ...Array<'left'>(18).fill('left'),
  ...Array<'expired'>(18).fill('expired'),
  ...(['unused', 'unused', 'customer', 'customer', 'lead'] as const),
] as const

/** The entries of an impersonation. */
export interface Acting {
  readonly entries: readonly AuditEntry[]
  readonly endedAt: number
  /** Returns whether an operator would continue after it. */
  readonly canGoOn: boolean
}

export function impersonation(it: Case, random: Random): Acting {
  const { number, at, operator, ticketId, reason, resource, permit, review, continues } = it
  const id = idOf('impersonation', number)
  const who = { ...about(it), id, actor: { sub: operator.id } }
  const bound = { mayAct: boundTo(it), requestedBy: SUPPORT_BACKEND, scope: scopeOf(it), permit }
  const context = { ticketId, reason, supportEngineerId: operator.id }
  const given = { ...who, ...bound, resource: [resource], context, review }
  const end = random.pick(ENDS)
  const issued: AuditEntry[] = [
    {
      ...given,
      event: 'impersonation.issued',
      timeMs: at,
      expiresAt: secondsOf(at + MINUTE_MS),
    },
  ]
  if (continues !== undefined) {
    issued.push({
      ...about(it),
      event: 'support.continued',
      timeMs: at + 20,
      id,
      by: operator.id,
      continues: idOf('impersonation', continues),
    })
  }
  if (end === 'unused') return { entries: issued, endedAt: at + MINUTE_MS, canGoOn: false }

  const startedAt = at + random.between(200, 3 * SECOND_MS)
  const expiresAt = startedAt + random.pick([2, 5, 5, 10]) * MINUTE_MS
  const started: AuditEntry = {
    ...given,
    event: 'impersonation.started',
    timeMs: startedAt,
    client: SHOP_CLIENT_ID,
    jti: `impersonation:${id}`,
    expiresAt: secondsOf(expiresAt),
  }
  const uses = usesOf(it, random, startedAt, expiresAt)
  const last = uses.at(-1)?.timeMs ?? startedAt
  const entries = [...issued, started, ...uses]
  if (end === 'expired') return { entries, endedAt: expiresAt, canGoOn: true }
  const endedAt = Math.min(last + random.between(SECOND_MS, MINUTE_MS), expiresAt - 1)
  const lead = random.pick(LEADS)
  const by = { customer: it.customer, lead, left: operator, operator }[end]
  entries.push({
    ...given,
    event: 'impersonation.ended',
    timeMs: endedAt,
    names: saidBy(it, by).names,
    end: {
      at: secondsOf(endedAt),
      by: { sub: by.id },
      cause: end === 'customer' ? 'user' : 'requested',
      ...(end === 'left' ? { reason: 'left' } : {}),
    },
  })
  return { entries, endedAt, canGoOn: end === 'left' }
}

const REFUSED: UseRefusal = {
  by: 'impersonation',
  error: 'access_denied',
  description: 'only the user in person may do this',
}

/** The requests to the orders API, as its guard tells them. */
function usesOf(it: Case, random: Random, from: number, until: number): AuditEntry[] {
  const { number, operator, customer, mayChange, resource: audience } = it
  const id = idOf('impersonation', number)
  const order = `/orders/${customer.name.slice(0, 1)}-${1000 + (number % 9)}`
  const requests = [
    ...Array.from({ length: random.between(1, 4) }, () => ({ method: 'GET', path: '/orders' })),
    ...(mayChange ? Array.from({ length: random.between(0, 2) }, () => changeOf(order)) : []),
    ...(random.next() < 0.03 ? [{ method: 'PUT', path: '/orders/email', refused: REFUSED }] : []),
  ]
  let timeMs = from
  return requests.flatMap((request, at) => {
    timeMs += random.between(SECOND_MS, 25 * SECOND_MS)
    if (timeMs >= until - SECOND_MS) return []
    const useId = `${id} ${at}`
    const status = 'refused' in request ? 403 : 200
    return {
      ...about(it),
      event: 'impersonation.used',
      timeMs,
      id,
      actor: { sub: operator.id },
      client: SHOP_CLIENT_ID,
      use: { useId, audience, status, ...request },
    }
  })
}

const changeOf = (path: string) => ({ method: 'PATCH', path })

/** In seconds since the epoch. */
const secondsOf = (milliseconds: number) => Math.floor(milliseconds / SECOND_MS)
