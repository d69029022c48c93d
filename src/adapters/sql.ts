import type { AdapterPayload } from 'oidc-provider'
import type { EndedFollower, EndingAdapter, ListedBefore, LookUp } from './contract.ts'
import {
  consumedAt,
  decodePayload,
  encodePayload,
  LOOK_UPS,
  lifetime,
  listingKeys,
  secondaryKeys,
  storableKey,
} from './record.ts'

export type SqlValue = string | number | null

/** A row whose columns are not checked yet. */
export type SqlRow = Readonly<Record<string, unknown>>

/**
 * The operations of a database that all models of one table share. Its statements have these
 * names.
 */
export interface SqlTable {
  /**
   * Finds a record by a column. Its row has the columns `payload`, `consumed`, `note` and `ended`.
   */
  find(
    statement: 'find' | 'findByUid' | 'findByUserCode',
    model: string,
    key: string,
  ): Promise<SqlRow | undefined>
  /**
   * Changes rows. The first value is the model, the second one the key.
   *
   * @returns the number of rows changed
   */
  write(
    statement: 'consume' | 'consumeOnce' | 'destroy' | 'endOnce' | 'revokeByGrantId' | 'upsert',
    values: readonly SqlValue[],
  ): Promise<number>
  list(page: SqlPage): Promise<readonly SqlRow[]>
  followEnded(list: string): EndedFollower
  /** Formats a parameter of SQL by its number. */
  parameter(number: number): string
}

/** The filter of a listing, and its position. */
export interface SqlPage {
  /** The most selective column of the filter. */
  readonly column: string
  readonly conditions: string
  /** The model, the largest number, and the values of the conditions. */
  readonly values: readonly SqlValue[]
}

export function sqlAdapter(model: string, table: SqlTable): EndingAdapter {
  async function find(statement: Parameters<SqlTable['find']>[0], key: string) {
    const row = await table.find(statement, model, storableKey(key))
    return row && parseRow(row)
  }
  async function write(
    statement: Parameters<SqlTable['write']>[0],
    key: string,
    ...values: SqlValue[]
  ): Promise<number> {
    return table.write(statement, [model, storableKey(key), ...values])
  }

  return {
    async upsert(id, payload, expiresIn) {
      await write('upsert', id, ...columnsOf(model, payload, expiresIn))
    },

    find: (id) => find('find', id),
    findByUid: (uid) => find('findByUid', uid),
    findByUserCode: (userCode) => find('findByUserCode', userCode),
    async consume(id) {
      await write('consume', id)
    },

    async consumeOnce(id, note) {
      const text = note ? JSON.stringify(note) : null
      return (await write('consumeOnce', id, text, storable(note?.actor))) === 1
    },

    endOnce: async (id, end) => (await write('endOnce', id, JSON.stringify(end))) === 1,

    async destroy(id) {
      await write('destroy', id)
    },

    async revokeByGrantId(grantId) {
      await write('revokeByGrantId', grantId)
    },

    async list(lookUp, limit, before) {
      return (await table.list(pageOf(lookUp, limit, before, table.parameter))).map(parseRow)
    },

    async endedIndices(list) {
      return [...new Set(await table.followEnded(storableKey(list)).next())]
    },

    followEnded: (list) => table.followEnded(storableKey(list)),
  }
}

function parseRow({ payload, consumed, note, ended }: SqlRow): AdapterPayload {
  return decodePayload(payload, { consumed: Number(consumed ?? 0), note, end: ended })
}

/**
 * The columns of a payload besides the model and the id: the payload, uid, user code, grant,
 * seconds of consumption, life in ms, account, client, actor, seconds of issue, list, index.
 */
function columnsOf(
  model: string,
  payload: AdapterPayload,
  expiresIn: number | undefined,
): SqlValue[] {
  const { uid, userCode, grantId } = secondaryKeys(payload)
  const listed = listingKeys(model, payload)
  return [
    encodePayload(payload),
    storable(uid),
    storable(userCode),
    storable(grantId),
    consumedAt(payload, Date.now()) || null,
    lifetime(expiresIn) ?? null,
    storable(listed?.accountId),
    storable(listed?.clientId),
    storable(listed?.actor),
    listed?.iat ?? null,
    storable(listed?.statusList),
    listed?.statusIndex ?? null,
  ]
}

/** A key for a column that may be empty. */
function storable(text: string | undefined): string | null {
  return text === undefined ? null : storableKey(text)
}

/**
 * The assignments of an upsert over an existing record. A live record that is consumed or ended
 * stays so.
 *
 * @param live - the condition under which the replaced record is live
 * @param stored - the prefix of its columns, if SQL needs a name there
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
 * @param parameter - formats a parameter of SQL by its number; the first two are the model and the
 * limit
 */
export function pageOf(
  lookUp: LookUp,
  limit: number,
  before: ListedBefore | undefined,
  parameter: (number: number) => string,
): SqlPage {
  const names = LOOK_UPS.filter((name) => lookUp[name] !== undefined)
  const columns = names.map((name) => LOOK_UP_COLUMNS[name])
  const conditions = columns.map((column, i) => ` AND ${column} = ${parameter(i + 3)}`)
  const values = ['SubjectToken', limit, ...names.map((name) => storable(lookUp[name]))]
  // Records that the plugin keeps for itself are listed by their account id alone.
  if (names.length === 0) conditions.push(" AND account_id >= '\u0002'")
  if (before) {
    const at = values.push(before.iat, storableKey(before.id)) - 1
    conditions.push(
      ` AND (issued_at, id) < (CAST(${parameter(at)} AS bigint), ${parameter(at + 1)})`,
    )
  }
  return { column: columns[0] ?? 'issued_at', conditions: conditions.join(''), values }
}
