import type { AdapterPayload } from 'oidc-provider'
import type { EndingAdapter } from '../contract.ts'
import {
  consumedAt,
  decodePayload,
  encodePayload,
  keyColumns,
  LOOK_UPS,
  lifetime,
  storable,
  storableKey,
} from '../record.ts'
import type { PostgresResult } from './client.ts'
import { type EndedSince, followEnded } from './follow-ended.ts'
import type { PostgresGroups } from './groups.ts'
import { requireSchemaVersion } from './schema.ts'
import { listStatement, type PostgresStatements } from './statements.ts'

/** What all models of one table share. */
export interface PostgresStore {
  /** The quoted name. */
  readonly table: string
  /** Runs a statement, prepared where that is wanted. */
  run(statement: keyof PostgresStatements, values: unknown[]): Promise<PostgresResult>
  /** Runs a statement that is never prepared. */
  send(text: string, values: unknown[]): Promise<PostgresResult>
  /** Runs a call together with others of its kind. */
  readonly groups: PostgresGroups
}

export function postgresAdapter(model: string, store: PostgresStore): EndingAdapter {
  async function findBy(statement: 'findByUid' | 'findByUserCode', key: string) {
    const { rows } = await store.run(statement, [model, storableKey(key)])
    return rows[0] && parseRow(rows[0])
  }

  return {
    consumesEveryModel: true,

    /** Rejects where the table is missing, or is not of this schema version, and says what to do. */
    async check() {
      const { rows } = await store.run('check', [])
      requireSchemaVersion(store.table, rows[0]?.comment)
    },

    async upsert(id, payload, expiresIn) {
      const { secondary, listed } = keyColumns(model, payload)
      const consumed = consumedAt(payload, Date.now())
      await store.groups.upsert([
        model,
        storableKey(id),
        encodePayload(payload),
        ...secondary,
        consumed > 0 ? consumed : null,
        lifetime(expiresIn) ?? null,
        ...listed,
      ])
    },

    async find(id) {
      const row = await store.groups.find({ model, id: storableKey(id) })
      return row && parseRow(row)
    },

    findByUid: async (uid) => findBy('findByUid', uid),
    findByUserCode: async (userCode) => findBy('findByUserCode', userCode),
    async consume(id) {
      await store.run('consume', [model, storableKey(id)])
    },

    async consumeOnce(id, note) {
      return store.groups.consumeOnce({
        model,
        id: storableKey(id),
        note: note && JSON.stringify(note),
        actor: storable(note?.actor),
      })
    },

    async endOnce(id, end) {
      const values = [model, storableKey(id), JSON.stringify(end)]
      const { rows } = await store.run('endOnce', values)
      return rows.length === 1
    },

    async destroy(id) {
      await store.run('destroy', [model, storableKey(id)])
    },

    async revokeByGrantId(grantId) {
      await store.run('revokeByGrantId', [model, storableKey(grantId)])
    },

    async list(lookUp, limit, before) {
      const names = LOOK_UPS.filter((name) => lookUp[name] !== undefined)
      const values = names.map((name) => storable(lookUp[name]))
      const position = before ? [before.iat, storableKey(before.id)] : []
      // not prepared: a plan for all values would not know how rare the given ones are
      const { rows } = await store.send(listStatement(store.table, names, !!before), [
        model,
        limit,
        ...values,
        ...position,
      ])
      return rows.map(parseRow)
    },

    async endedIndices(list) {
      const { rows } = await store.run('endedIndices', [model, storableKey(list)])
      return rows.map((row) => Number(row.status_index))
    },

    followEnded: (list) =>
      followEnded(async (xid) => {
        const { rows } = await store.run('endedSince', [storableKey(list), String(xid)])
        return parseEnded(rows[0])
      }),
  }
}

/** @throws TypeError for what is no such row: an index that is missing would not be ended */
function parseEnded(row: PostgresResult['rows'][number] | undefined): EndedSince {
  const { indices, found, oldest, server } = row ?? {}
  const bytes = Buffer.from(typeof indices === 'string' ? indices : '', 'base64')
  if (
    bytes.length !== 8 * Number(found) ||
    typeof oldest !== 'string' ||
    typeof server !== 'string'
  ) {
    throw new TypeError('PostgreSQL answered with no status list')
  }
  const at = (n: number) => bytes.readUInt32BE(8 * n) * 2 ** 32 + bytes.readUInt32BE(8 * n + 4)
  return {
    indices: Array.from({ length: bytes.length / 8 }, (_, n) => at(n)),
    oldest: BigInt(oldest),
    server,
  }
}

function parseRow(row: PostgresResult['rows'][number]): AdapterPayload {
  const { payload, consumed, note, ended } = row
  return decodePayload(payload, { consumed: Number(consumed ?? 0), note, end: ended })
}
