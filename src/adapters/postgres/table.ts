import type { SqlRow, SqlTable } from '../sql.ts'
import type { PostgresResult } from './client.ts'
import { type EndedSince, followEnded } from './follow-ended.ts'
import { GROUPED_MODEL, groupUpserts } from './group-upserts.ts'
import { listStatement, type RunStatement } from './statements.ts'

export interface PostgresStore {
  /** The quoted name. */
  readonly table: string
  readonly run: RunStatement
  /** Runs a statement that is never prepared. */
  send(text: string, values: unknown[]): Promise<PostgresResult>
  /** `true` if upserts of subject tokens go in groups. */
  readonly group: boolean
}

export function postgresTable({ table, run, send, group }: PostgresStore): SqlTable {
  const upsertInGroup = group && groupUpserts(run)
  return {
    find: async (statement, model, key) => (await run(statement, [model, key])).rows[0],

    async write(statement, values) {
      const isGrouped = statement === 'upsert' && values[0] === GROUPED_MODEL
      if (isGrouped && upsertInGroup) return upsertInGroup(values)
      return (await run(statement, [...values])).count
    },

    async list({ conditions, values }) {
      // not prepared, because a plan for all values would miss how rare the given ones are
      return (await send(listStatement(table, conditions), [...values])).rows
    },

    followEnded: (list) =>
      followEnded(async (xid) =>
        parseEnded((await run('endedSince', [list, String(xid)])).rows[0]),
      ),

    parameter: (number) => `$${number}`,
  }
}

/** @throws TypeError for an invalid row, because a missing index would not be ended */
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
