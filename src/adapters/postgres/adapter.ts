import type { AdapterPayload } from 'oidc-provider'
import { type Batching, batcher } from '../batcher.ts'
import type { EndingAdapter } from '../contract.ts'
import {
  consumedAt,
  decodePayload,
  encodePayload,
  keyColumns,
  lifetime,
  storable,
  storableKey,
} from '../record.ts'
import { lookUpSql } from '../sql.ts'
import { errorOfItsOwn, StorageError } from '../storage-error.ts'
import type { PostgresResult } from './client.ts'
import { type EndedSince, followEnded } from './follow-ended.ts'
import { requireSchemaVersion } from './schema.ts'
import { listStatement, type PostgresStatements } from './statements.ts'

type Row = PostgresResult['rows'][number]

/** What all models of one table share. */
export interface PostgresStore {
  /** The quoted name. */
  readonly table: string
  /** Runs a statement, prepared where that is wanted. */
  run(statement: keyof PostgresStatements, values: unknown[]): Promise<PostgresResult>
  /** Runs a statement that is never prepared. */
  send(text: string, values: unknown[]): Promise<PostgresResult>
  /** Runs a call together with others of its kind. */
  readonly batches: PostgresBatches
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
      await store.batches.upsert([
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
      const row = await store.batches.find({ model, id: storableKey(id) })
      return row && parseRow(row)
    },

    findByUid: async (uid) => findBy('findByUid', uid),
    findByUserCode: async (userCode) => findBy('findByUserCode', userCode),
    async consume(id) {
      await store.run('consume', [model, storableKey(id)])
    },

    async consumeOnce(id, note) {
      return store.batches.consumeOnce({
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
      const { conditions, values } = lookUpSql(lookUp, before, (number) => `$${number}`)
      // not prepared: a plan for all values would not know how rare the given ones are
      const statement = listStatement(store.table, conditions)
      const { rows } = await store.send(statement, [model, limit, ...values])
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
function parseEnded(row: Row | undefined): EndedSince {
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

function parseRow(row: Row): AdapterPayload {
  const { payload, consumed, note, ended } = row
  return decodePayload(payload, { consumed: Number(consumed ?? 0), note, end: ended })
}

/** The statements that serve many calls at once. */
export interface PostgresBatches {
  find(call: { readonly model: string; readonly id: string }): Promise<Row | undefined>
  /** The values of the statement of that name. */
  upsert(values: readonly unknown[]): Promise<void>
  consumeOnce(call: Consumption): Promise<boolean>
}

interface Consumption {
  readonly model: string
  readonly id: string
  /** As text: a note that is no JSON must fail before it is in a batch. */
  readonly note: string | undefined
  readonly actor: string | null
}

/** The model of which writes go in batches. */
const BATCHED_MODEL = 'SubjectToken'
/** Beyond this the cost of a call hardly falls, and a trouble would fail more of them. */
const MAX_BATCH_SIZE = 64
/** The values of `upsert`, without the model. */
const UPSERT_VALUES = 13

/** @param grouped whether calls go in batches; else each is a statement of its own */
export function postgresBatches(run: PostgresStore['run'], grouped: boolean): PostgresBatches {
  const inBatches = <Call, Result>(
    batching: Omit<Batching<Call, Result>, 'size' | 'tookNoEffect'>,
  ): ((call: Call) => Promise<Result>) =>
    grouped ? batcher({ ...batching, size: MAX_BATCH_SIZE, tookNoEffect }).run : batching.alone

  const upsertAlone: PostgresBatches['upsert'] = async (values) => {
    await run('upsert', [...values])
  }
  const consumeAlone: PostgresBatches['consumeOnce'] = async (call) => {
    const { rows } = await run('consumeOnce', [call.model, ...consumption(call)])
    return rows.length === 1
  }

  const upsertInBatch = inBatches<readonly unknown[], void>({
    // one statement cannot write a row twice
    key: ([, id]) => String(id),
    alone: upsertAlone,
    async together(calls) {
      const rows = calls.map(([, ...values]) => values)
      await run('upsertAll', [BATCHED_MODEL, ...columns(rows, UPSERT_VALUES)])
      return () => {}
    },
  })

  const consumeInBatch = inBatches<Consumption, boolean>({
    alone: consumeAlone,
    async together(calls) {
      const first = new Map(calls.toReversed().map((call) => [call.id, call]))
      const asked = [...first.values()].map(consumption)
      const { rows } = await run('consumeOnceAll', [BATCHED_MODEL, ...columns(asked, 3)])
      const won = new Set(rows.map((row) => row.id))
      // the batch passes over rows that other transactions hold; a call alone waits for its row
      const outcomes = new Map(
        [...first].map(([id, call]) => [id, won.has(id) || consumeAlone(call)]),
      )
      // of those that ask for one id the first may win, and the others fail where it fails
      return async (call) => {
        try {
          return (await outcomes.get(call.id)) === true && first.get(call.id) === call
        } catch (error) {
          throw errorOfItsOwn(error)
        }
      }
    },
  })

  return {
    find: inBatches({
      async alone({ model, id }) {
        return (await run('find', [model, id])).rows[0]
      },
      async together(calls) {
        const { rows } = await run('findAll', [
          calls.map(({ model }) => model),
          calls.map(({ id }) => id),
        ])
        const found = new Map(rows.map((row) => [calls[Number(row.position) - 1], row]))
        return (call) => found.get(call)
      },
    }),
    upsert: (values) => (values[0] === BATCHED_MODEL ? upsertInBatch : upsertAlone)(values),
    consumeOnce: (call) => (call.model === BATCHED_MODEL ? consumeInBatch : consumeAlone)(call),
  }
}

function consumption({ id, note, actor }: Consumption) {
  return [id, note, actor]
}

/** The rows as one array for each column; `null` for a column that is empty. */
function columns(rows: readonly (readonly unknown[])[], count: number): unknown[] {
  return Array.from({ length: count }, (_, at) => {
    const column = rows.map((row) => row[at] ?? null)
    return column.some((value) => value !== null) ? column : null
  })
}

/**
 * By SQLSTATE: the data (22), a constraint (23), a conflict of transactions (40), a limit (54) or
 * the `lock_timeout` of a row (55P03) was the matter, and the statement was rolled back. It is unknown
 * whether 40003 was. A `statement_timeout` (57014) was rolled back as well, but a server that is
 * too slow for one statement gets no 64 more.
 */
function tookNoEffect(error: unknown): boolean {
  const code = error instanceof StorageError ? error.code : undefined
  return code !== undefined && /^((22|23|40|54)...|55P03)$/.test(code) && code !== '40003'
}
