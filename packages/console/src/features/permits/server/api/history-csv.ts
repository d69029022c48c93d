import { type CsvValue, csvTime } from '../../../../ledger/keeping/csv.ts'
import type { PastPermit } from '../history-filter.ts'

/** For the names of the columns. */
export const NO_PERMIT: PastPermit = {
  ...{ id: '', kind: 'approval', state: 'requested', needs: [], decisions: [], for: 0 },
  ...{ customer: { id: '' }, operator: { id: '' }, requestedAt: 0 },
  ...{ application: '', resource: '', scope: '' },
}

/** In the order of the file. */
export function csvOf(permit: PastPermit): Record<string, CsvValue> {
  const { customer, operator, lifted, revoked, review, overriddenBy } = permit
  return {
    id: permit.id,
    kind: permit.kind,
    state: permit.state,
    asked: csvTime(permit.requestedAt),
    operator_id: operator.id,
    operator_name: operator.name,
    customer_id: customer.id,
    customer_name: customer.name,
    ticket: permit.ticket,
    reason: permit.reason,
    application: permit.application,
    resource: permit.resource,
    scope: permit.scope,
    needs: permit.needs.join(' '),
    seconds: permit.for,
    lapses: csvTime(permit.lapsesAt),
    granted: csvTime(permit.grantedAt),
    until: csvTime(permit.until),
    ...decisionColumns(permit, 'second_person'),
    ...decisionColumns(permit, 'user'),
    ...saidColumns('lifted', lifted),
    ...saidColumns('revoked', revoked),
    review: review?.reason,
    ...saidColumns('reviewed', review),
    overridden_by: overriddenBy?.id,
    overridden: csvTime(overriddenBy?.at),
  }
}

function decisionColumns({ decisions }: PastPermit, need: PastPermit['needs'][number]) {
  const found = decisions.find((each) => each.need === need)
  return {
    [need]: found && (found.isGranted ? 'granted' : 'refused'),
    ...saidColumns(`${need}_decided`, found),
  }
}

function saidColumns(name: string, said: PastPermit['review'] | PastPermit['revoked']) {
  const { at, by, note } = said ?? {}
  return {
    [name]: csvTime(at),
    [`${name}_by`]: by?.id,
    [`${name}_by_name`]: by?.name,
    [`${name}_note`]: note,
  }
}
