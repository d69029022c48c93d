import { type Batching, batcher } from '../batcher.ts'
import type { SqlRow, SqlTable, SqlValue } from '../sql.ts'
import { errorOfItsOwn, StorageError } from '../storage-error.ts'
import type { PostgresResult } from './client.ts'
import { type EndedSince, followEnded } from './follow-ended.ts'
import { listStatement, type PostgresStatements } from './statements.ts'

/** Runs a statement, prepared where that is wanted. */
export type RunStatement = (
  statement: keyof PostgresStatements,
  values: unknown[],
) => Promise<PostgresResult>

export interface PostgresStore {
  /** The quoted name. */
  readonly table: string
  readonly run: RunStatement
  /** Runs a statement that is never prepared. */
  send(text: string, values: unknown[]): Promise<PostgresResult>
  /** Whether calls of one kind go in batches; else each is a statement of its own. */
  readonly group: boolean
}

export function postgresTable({ table, run, send, group }: PostgresStore): SqlTable {
  const batches = postgresBatches(run, group)
  return {
    async find(statement, model, key) {
      if (statement === 'find') return batches.find([model, key])
      return (await run(statement, [model, key])).rows[0]
    },

    async write(statement, values) {
      const [model] = values
      if (model === BATCHED_MODEL && (statement === 'upsert' || statement === 'consumeOnce')) {
        return batches[statement](values)
      }
      return (await run(statement, [...values])).count
    },

    async list({ conditions, values }) {
      // not prepared: a plan for all values would not know how rare the given ones are
      return (await send(listStatement(table, conditions), [...values])).rows
    },

    endedIndices: async (list) => (await run('endedIndices', [list])).rows,

    followEnded: (list) =>
      followEnded(async (xid) =>
        parseEnded((await run('endedSince', [list, String(xid)])).rows[0]),
      ),

    parameter: (number) => `$${number}`,
  }
}

/** @throws TypeError for what is no such row: an index that is missing would not be ended */
function parseEnded(row: SqlRow | undefined): EndedSince {
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

/** The model of which writes go in batches. */
const BATCHED_MODEL = 'SubjectToken'
/** Beyond this the cost of a call hardly falls, and a trouble would fail more of them. */
const MAX_BATCH_SIZE = 64

/** The values of one statement: the model, the id, and what follows. */
type Values = readonly SqlValue[]

/** The statements that serve many calls at once. Writes resolve how many rows changed. */
function postgresBatches(run: RunStatement, group: boolean) {
  const inBatches = <Result>(
    batching: Omit<Batching<Values, Result>, 'size' | 'tookNoEffect'>,
  ): ((call: Values) => Promise<Result>) =>
    group ? batcher({ ...batching, size: MAX_BATCH_SIZE, tookNoEffect }).run : batching.alone
  const consumeAlone = async (call: Values) => (await run('consumeOnce', [...call])).count

  return {
    find: inBatches({
      alone: async (call) => (await run('find', [...call])).rows[0],
      async together(calls) {
        const asked = [calls.map(([model]) => model), calls.map(([, id]) => id)]
        const { rows } = await run('findAll', asked)
        const found = new Map(rows.map((row) => [calls[Number(row.position) - 1], row]))
        return (call) => found.get(call)
      },
    }),

    upsert: inBatches({
      // one statement cannot write a row twice
      key: ([, id]) => String(id),
      alone: async (call) => (await run('upsert', [...call])).count,
      async together(calls) {
        await run('upsertAll', [BATCHED_MODEL, ...columns(calls)])
        return () => 1
      },
    }),

    consumeOnce: inBatches({
      alone: consumeAlone,
      async together(calls) {
        const first = new Map(calls.toReversed().map((call) => [call[1], call]))
        const { rows } = await run('consumeOnceAll', [
          BATCHED_MODEL,
          ...columns([...first.values()]),
        ])
        const won = new Set(rows.map((row) => row.id))
        // the batch passes over rows that other transactions hold; a call alone waits for its row
        const outcomes = new Map(
          [...first].map(([id, call]) => [id, won.has(id) ? 1 : consumeAlone(call)]),
        )
        // of those that ask for one id the first may win, and the others fail where it fails
        return async (call) => {
          try {
            const count = (await outcomes.get(call[1])) ?? 0
            return first.get(call[1]) === call ? count : 0
          } catch (error) {
            throw errorOfItsOwn(error)
          }
        }
      },
    }),
  }
}

/** The values without the model as one array for each column; `null` for a column that is empty. */
function columns(calls: readonly Values[]): unknown[] {
  const [, ...names] = calls[0] ?? []
  return names.map((_, at) => {
    const column = calls.map((call) => call[at + 1] ?? null)
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
