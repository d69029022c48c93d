import { type AuditPerson, present, ticketKey } from 'oidc-provider-impersonation-verify/format'
import type { RowAnswer } from '../../../web/answers.ts'
import { canChange } from '../../../web/applications.ts'
import { settle } from '../../../web/audit.ts'
import { notFound } from '../../../web/http/problem.ts'
import type { Call } from '../../../web/parts.ts'
import { findRow, shownRow } from '../../../web/rows.ts'
import { findWayOn, type WayOn } from './continue.ts'
import { runningImpersonations } from './running.ts'

/** `GET /continue/:id`: operator, lead. Where an application leads after a reload. */
export interface ContinueAnswer {
  readonly row: RowAnswer & { readonly customer: AuditPerson }
  /** The access that it had. */
  readonly access?: 'change'
  /** What the rule says of going on; absent if the caller has gone on with it. */
  readonly wayOn?: WayOn
}

/** Shows what can be gone on with. It starts, ends and records nothing: any link may lead here. */
export async function showContinue(call: Call): Promise<ContinueAnswer> {
  const { audit, caller, settings } = call
  await settle(audit)
  const found = await findRow(call)
  const { id, application, customer, scope, ticket } = found
  if (!customer || found.operator?.id !== caller.id) {
    throw notFound('there is no such impersonation of yours')
  }
  const { running } = await runningImpersonations(call, { actor: caller.id })
  const isOn = running.some(
    (it) =>
      it.id !== id &&
      it.customer.id === customer.id &&
      ticketKey(it.ticket ?? '') === ticketKey(ticket ?? ''),
  )
  return {
    row: { ...shownRow(found, call), customer },
    ...(canChange(settings.applications, application, scope) ? { access: 'change' } : {}),
    ...present({ wayOn: isOn ? undefined : await findWayOn(call, id) }),
  }
}
