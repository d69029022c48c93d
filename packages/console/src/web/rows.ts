import { type AuditRow, outcomeOf } from 'oidc-provider-impersonation-verify/format'
import { isId } from '../kernel/ids.ts'
import type { RowAnswer } from './answers.ts'
import { nameIn } from './applications.ts'
import { notFound } from './http/problem.ts'
import type { Call, Caller } from './parts.ts'
import { ticketLink } from './ticket-link.ts'

/** A row with what is derived from it, as far as the caller may see it. */
export function shownRow(row: AuditRow, { caller, language, settings, now }: Call): RowAnswer {
  const application = settings.applications.find(({ clientId }) => clientId === row.application)
  return {
    ...(caller.role === 'operator' ? withoutSupervision(row) : row),
    // Bookkeeping: the timeline tells it.
    deliveries: undefined,
    // Of others, an operator sees no request.
    lastUse: undefined,
    outcome: outcomeOf(row, now()),
    ...ticketLink(row.ticket, settings),
    ...(application === undefined ? {} : { applicationName: nameIn(application, language) }),
  }
}

/**
 * What customers and leads say of an operator's work is between them and the auditors. That the customer objected
 * is not: the operator cannot act any more.
 */
function withoutSupervision(row: AuditRow): AuditRow {
  const { alarm: _, acknowledged: _seen, hold: _hold, objection, ...rest } = row
  return { ...rest, ...(objection ? { objection: { at: objection.at } } : {}) }
}

/**
 * The row of the path.
 *
 * @throws Problem 404 where the caller may see no such row
 */
export async function findRow(call: Call): Promise<AuditRow> {
  const { audit, caller } = call
  const id = call.param('id')
  const row = isId(id) ? await audit.store.row(id) : undefined
  if (!row || !maySeeRow(caller, row)) throw notFound('there is no such impersonation')
  return row
}

function maySeeRow(caller: Caller, row: AuditRow): boolean {
  return caller.role !== 'operator' || row.operator?.id === caller.id
}
