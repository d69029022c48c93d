import type { ImpersonationObject } from 'oidc-provider-impersonation'
import { type AuditPerson, type AuditRow, type Outcome, outcomeOf } from '../audit/row.ts'
import type { Application } from '../options.ts'
import type { AccountImpersonation, AccountState } from './answers.ts'
import type { WhatWasDone } from './done.ts'

// Both copy member by member: what is internal stays internal, also what is added later.

const STATES = {
  waiting: 'waiting',
  running: 'running',
  requested: 'ended',
  user: 'ended_by_you',
  operator_signed_out: 'signed_out',
  replay: 'replayed',
  policy: 'policy',
  expired: 'expired',
  unused: 'unused',
  refused: 'refused',
} as const satisfies Record<Outcome, AccountState>

/** A row of the audit, for the customer. */
export function toldOfRow(
  row: AuditRow,
  done: WhatWasDone,
  applications: readonly Application[],
  now: number,
): AccountImpersonation {
  const { id, at, operator, ticket, startedAt, expiresAt, end, replays, objection } = row
  const state = STATES[outcomeOf(row, now)]
  const isOpen = state === 'waiting' || state === 'running'
  return {
    id,
    state,
    at,
    replays,
    ...done,
    ...present({
      operator: operatorOf(operator),
      ticket,
      application: nameOf(applications, row.application),
      canChange:
        startedAt === undefined ? undefined : canChange(applications, row.application, row.scope),
      startedAt,
      expiresAt: isOpen ? expiresAt : undefined,
      endedAt: isOpen || state === 'refused' ? undefined : (end?.at ?? expiresAt),
      objectedAt: objection?.at,
    }),
  }
}

/**
 * What runs, for the customer. It is told without the row as well: the customer must be able to end it
 * while the audit cannot be read.
 */
export function toldOfRunning(
  running: ImpersonationObject,
  row: AuditRow | undefined,
  done: WhatWasDone,
  applications: readonly Application[],
): AccountImpersonation {
  const { id, actor, mayAct, context, client, scope, issuedAt, startedAt, expiresAt } = running
  const operator = actor?.sub ?? mayAct?.sub
  const application = client ?? mayAct?.clientId
  return {
    id,
    state: 'running',
    at: issuedAt * 1000,
    replays: row?.replays ?? 0,
    ...done,
    ...present({
      operator:
        operator === undefined
          ? undefined
          : operatorOf(row?.operator?.id === operator ? row.operator : { id: operator }),
      ticket: typeof context.ticketId === 'string' ? context.ticketId : undefined,
      application: nameOf(applications, application),
      canChange: canChange(applications, application, scope),
      startedAt: startedAt === undefined ? undefined : startedAt * 1000,
      expiresAt: expiresAt === undefined ? undefined : expiresAt * 1000,
      objectedAt: row?.objection?.at,
    }),
  }
}

/** Without the e-mail address. */
function operatorOf(operator: AuditPerson | undefined): AccountImpersonation['operator'] {
  return operator && { id: operator.id, ...present({ name: operator.name }) }
}

function nameOf(applications: readonly Application[], clientId: string | undefined) {
  return applications.find((each) => each.clientId === clientId)?.name ?? clientId
}

/** Whether a scope was granted that those to look do not have; `undefined` where that is unknown. */
function canChange(
  applications: readonly Application[],
  clientId: string | undefined,
  scope: string | undefined,
): boolean | undefined {
  const scopes = applications.find((each) => each.clientId === clientId)?.scopes
  if (!scopes || scope === undefined) return undefined
  const [granted, toLook] = [scope.split(' '), scopes.read.split(' ')]
  return (scopes.change?.split(' ') ?? []).some(
    (each) => granted.includes(each) && !toLook.includes(each),
  )
}

/** The members that are not `undefined`. */
function present<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // The compiler does not see that only the members without a value are missing.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
