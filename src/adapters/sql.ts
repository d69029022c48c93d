import type { ListedBefore, LookUp } from './contract.ts'
import { LOOK_UPS, storable, storableKey } from './record.ts'

/**
 * What an upsert writes over a record. What is live and consumed or ended stays so.
 *
 * @param live the condition under which the record that is replaced is live
 * @param stored what stands before its columns, where SQL needs a name there
 */
export function replaceAssignments(live: string, stored = ''): string {
  const kept = (column: string) => `CASE WHEN ${live} THEN ${stored}${column} END`
  return `payload = excluded.payload, uid = excluded.uid, user_code = excluded.user_code,
        grant_id = excluded.grant_id, expires_at = excluded.expires_at,
        account_id = excluded.account_id, client_id = excluded.client_id,
        issued_at = excluded.issued_at, status_list = excluded.status_list,
        status_index = excluded.status_index,
        consumed_at = coalesce(${kept('consumed_at')}, excluded.consumed_at),
        note = ${kept('note')}, note_actor = ${kept('note_actor')},
        actor = coalesce(${kept('note_actor')}, excluded.actor), ended = ${kept('ended')}`
}

const LOOK_UP_COLUMNS = { accountId: 'account_id', actor: 'actor', clientId: 'client_id' } as const

/**
 * By what a listing looks records up, and where it goes on. Its values are the third parameter of the statement and
 * those after it.
 *
 * @param parameter how SQL names a parameter, by its number
 */
export function lookUpSql(
  lookUp: LookUp,
  before: ListedBefore | undefined,
  parameter: (number: number) => string,
) {
  const names = LOOK_UPS.filter((name) => lookUp[name] !== undefined)
  const columns = names.map((name) => LOOK_UP_COLUMNS[name])
  const conditions = columns.map((column, i) => ` AND ${column} = ${parameter(i + 3)}`)
  if (before) {
    const at = columns.length + 3
    conditions.push(
      ` AND (issued_at, id) < (CAST(${parameter(at)} AS bigint), ${parameter(at + 1)})`,
    )
  }
  return {
    columns,
    conditions: conditions.join(''),
    values: [
      ...names.map((name) => storable(lookUp[name])),
      ...(before ? [before.iat, storableKey(before.id)] : []),
    ],
  }
}
