import type { Impersonation } from 'oidc-provider-impersonation'
import {
  type AuditPerson,
  type AuditRow,
  endingOf,
  type Outcome,
  outcomeOf,
  present,
  unapprovedIn,
} from 'oidc-provider-impersonation-verify/format'
import { applicationName, canChange } from '../../../web/applications.ts'
import type { WhatWasDone } from '../../../web/done.ts'
import type { CustomerCall } from '../../../web/parts.ts'
import type { AccountImpersonation, AccountState } from './answers.ts'

// Both copy member by member: what is internal stays internal, also what is added later.

const ACCOUNT_STATES = {
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
export function describeRow(
  row: AuditRow,
  done: WhatWasDone,
  { language, now, settings: { applications } }: CustomerCall,
): AccountImpersonation {
  const { id, at, operator, ticket, startedAt, expiresAt, end, replays, objection } = row
  const ending = endingOf(row)
  const state = ending === 'left' ? 'left' : ACCOUNT_STATES[outcomeOf(row, now())]
  const isOpen = state === 'waiting' || state === 'running'
  return {
    id,
    state,
    at,
    replays,
    ...done,
    ...present({
      operator: operatorOf(operator),
      software: row.software,
      unapproved: unapprovedIn(row.review),
      ticket,
      application: applicationName(applications, row.application, language),
      canChange:
        startedAt === undefined ? undefined : canChange(applications, row.application, row.scope),
      startedAt,
      expiresAt: isOpen ? expiresAt : undefined,
      endedAt: isOpen || state === 'refused' ? undefined : (end?.at ?? expiresAt),
      endedBy: ending === 'operator' || ending === 'other' ? endedByOf(row) : undefined,
      objectedAt: objection?.at,
    }),
  }
}

/**
 * What runs, for the customer. It is told without the row as well: the customer must be able to end it
 * while the audit cannot be read.
 */
export function describeRunning(
  running: Impersonation,
  row: AuditRow | undefined,
  done: WhatWasDone,
  { language, settings: { applications } }: CustomerCall,
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
      software: running.software,
      unapproved: unapprovedIn(running.review),
      ticket: typeof context.ticketId === 'string' ? context.ticketId : undefined,
      application: applicationName(applications, application, language),
      canChange: canChange(applications, application, scope),
      startedAt: startedAt === undefined ? undefined : startedAt * 1000,
      expiresAt: expiresAt === undefined ? undefined : expiresAt * 1000,
      objectedAt: row?.objection?.at,
    }),
  }
}

/** Without what they wrote about it. */
function endedByOf({ end, operator }: AuditRow): AccountImpersonation['endedBy'] {
  if (end?.by === undefined || end.by === operator?.id) return operatorOf(operator)
  return { id: end.by, ...present({ name: end.name }) }
}

/** Without the e-mail address. */
function operatorOf(operator: AuditPerson | undefined): AccountImpersonation['operator'] {
  return operator && { id: operator.id, ...present({ name: operator.name }) }
}
