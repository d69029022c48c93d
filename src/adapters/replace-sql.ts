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
