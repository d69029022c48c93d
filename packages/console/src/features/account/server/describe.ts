import type { Impersonation } from 'oidc-provider-impersonation'
import {
  type AuditPerson,
  type AuditRow,
  endingOf,
  nonEmptyText,
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
  call: CustomerCall,
): AccountImpersonation {
  const { actor, mayAct, context, client, startedAt, expiresAt } = running
  const operator = actor?.sub ?? mayAct?.sub
  const at = running.issuedAt * 1000
  const none = { reads: 0, changes: 0, refused: 0, failed: 0, replays: 0, denied: 0 }
  const known = {
    ...{ ...none, ...row, id: running.id, at, lastAt: at },
    operator:
      row?.operator?.id === operator ? row?.operator : operator ? { id: operator } : undefined,
    software: running.software,
    review: running.review,
    ticket: nonEmptyText(context.ticketId),
    application: client ?? mayAct?.clientId,
    scope: running.scope,
    startedAt: startedAt && startedAt * 1000,
    expiresAt: expiresAt && expiresAt * 1000,
    end: undefined,
  }
  return describeRow(known, done, call)
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
