import { type SaidWord, saidIn } from 'oidc-provider-impersonation-verify/format'
import { type CsvValue, csvTime } from '../../../../ledger/keeping/csv.ts'
import type { Permit } from '../../../../records/record-at.ts'

/** For the names of the columns. */
export const NO_PERMIT: Permit = {
  ...{ id: '', kind: 'approval', state: 'requested', needs: [], said: [], for: 0 },
  ...{ customer: { id: '' }, operator: { id: '' }, requestedAt: 0 },
  ...{ application: '', resource: '', scope: '' },
}

/** In the order of the file. */
export function csvOf(permit: Permit): Record<string, CsvValue> {
  const { customer, operator } = permit
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
    why: permit.why,
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
    ...saidColumns('revoked', saidIn(permit, 'revoked')),
    declined_before: permit.declined?.join(' '),
    ...saidColumns('reviewed', saidIn(permit, 'reviewed')),
  }
}

function decisionColumns({ said }: Permit, need: Permit['needs'][number]) {
  const found = said.find((each) => each.need === need)
  return {
    [need]: found?.event,
    ...saidColumns(`${need}_decided`, found),
  }
}

function saidColumns(name: string, said: SaidWord | undefined) {
  const { at, by, note } = said ?? {}
  return {
    [name]: csvTime(at),
    [`${name}_by`]: by?.id,
    [`${name}_by_name`]: by?.name,
    [`${name}_note`]: note,
  }
}
