import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setImmediate as rest } from 'node:timers/promises'
import type { EndedFollower } from '../contract.ts'
import type { SqlTable } from '../sql.ts'
import { prepareList, type SqliteStatements } from './statements.ts'
import type { SqliteTurns } from './turns.ts'

/** The parts that all models of one file share. */
export interface SqliteStore {
  readonly database: DatabaseSync
  readonly statements: SqliteStatements
  /** The queue of every statement. */
  readonly turns: SqliteTurns
  /** In milliseconds since the epoch. */
  readonly now: () => number
  /** Removes a few expired records now and then. */
  readonly sweep: () => void
}

export function sqliteTable(store: SqliteStore): SqlTable {
  const { database, statements, turns, now, sweep } = store
  const lists = new Map<string, StatementSync>()
  return {
    find: (statement, model, key) => turns.read(() => statements[statement].get(now(), model, key)),

    write: (statement, values) =>
      turns.write(() => {
        if (statement === 'upsert') sweep()
        return Number(statements[statement].run(now(), ...values).changes)
      }),

    list: ({ column, conditions, values }) =>
      turns.read(() => {
        const statement = lists.get(conditions) ?? prepareList(database, column, conditions)
        lists.set(conditions, statement)
        return statement.all(now(), ...values)
      }),

    followEnded: (list) =>
      followEnded((after, limit) =>
        turns.read(() => statements.endedAfter.all(list, after, limit)),
      ),

    // the first one is the time
    parameter: (number) => `?${number + 1}`,
  }
}

/** The number of indices that are read while the process does nothing else. */
const PART_SIZE = 10_000

/**
 * Follows ends by their numbers. One process writes at a time, so that an end that is committed
 * later has a higher number.
 *
 * @param readPart - reads the ends after a number, in order, up to a maximum
 */
export function followEnded(
  readPart: (
    after: number,
    limit: number,
  ) => Promise<readonly { readonly ended_index?: unknown; readonly ended_turn?: unknown }[]>,
): EndedFollower {
  let known = 0
  return {
    async next() {
      const indices: number[] = []
      for (let after = known; ; await rest()) {
        const rows = await readPart(after, PART_SIZE)
        for (const { ended_index } of rows) indices.push(Number(ended_index))
        after = Number(rows.at(-1)?.ended_turn ?? after)
        if (rows.length < PART_SIZE) {
          // Calls may run at once, so the known number never decreases.
          known = Math.max(known, after)
          return indices
        }
      }
    },
  }
}
