import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setImmediate as rest } from 'node:timers/promises'
import type { AdapterPayload } from 'oidc-provider'
import { epochSeconds } from '../../shared/time.ts'
import type { EndedFollower, EndingAdapter } from '../contract.ts'
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
import type { SqliteBatches } from './batches.ts'
import {
  prepareList,
  read,
  readFirst,
  type SqliteStatements,
  type SqliteValue,
  write,
} from './statements.ts'

/** What all models of one file share. */
export interface SqliteStore {
  readonly database: DatabaseSync
  readonly statements: SqliteStatements
  /** Where every write and every find goes. */
  readonly batches: SqliteBatches
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Removes a few expired records now and then. */
  readonly sweep: () => void
}

/** Its methods are async so that what they throw before the turn becomes a rejection. */
export function sqliteAdapter(
  model: string,
  { database, statements, batches, now, sweep }: SqliteStore,
): EndingAdapter {
  const lists = new Map<string, StatementSync>()

  function encode(
    id: string,
    payload: AdapterPayload,
    expiresIn: number | undefined,
    at: number,
  ): SqliteValue[] {
    const { secondary, listed } = keyColumns(model, payload)
    const milliseconds = lifetime(expiresIn)
    return [
      model,
      storableKey(id),
      encodePayload(payload),
      ...secondary,
      Math.floor(consumedAt(payload, at)) || null,
      milliseconds === undefined ? null : Math.ceil(at + milliseconds),
      ...listed,
      at,
    ]
  }

  function findBy(
    statement: 'find' | 'findByUid' | 'findByUserCode',
    text: string,
  ): Promise<AdapterPayload | undefined> {
    const key = storableKey(text)
    return batches.read(() => {
      const row = readFirst(statements[statement], [model, key, now()])
      return row && parseRow(row)
    })
  }

  function mark(
    statement: 'consume' | 'consumeOnce',
    id: string,
    kept: SqliteValue[] = [],
  ): Promise<number> {
    const key = storableKey(id)
    return batches.write(() => {
      const at = now()
      return write(statements[statement], [model, key, at, epochSeconds(at), ...kept])
    })
  }

  function remove(statement: 'destroy' | 'revokeByGrantId', text: string): Promise<number> {
    const key = storableKey(text)
    return batches.write(() => write(statements[statement], [model, key]))
  }

  return {
    consumesEveryModel: true,

    async upsert(id, payload, expiresIn) {
      // encoded now: the caller may change the payload before it is written
      const values = encode(id, payload, expiresIn, now())
      return batches.write(() => {
        sweep()
        write(statements.upsert, values)
      })
    },

    find: async (id) => findBy('find', id),
    findByUid: async (uid) => findBy('findByUid', uid),
    findByUserCode: async (userCode) => findBy('findByUserCode', userCode),
    async consume(id) {
      await mark('consume', id)
    },

    async consumeOnce(id, note) {
      const kept = [note ? JSON.stringify(note) : null, storable(note?.actor)]
      return (await mark('consumeOnce', id, kept)) === 1
    },

    async endOnce(id, end) {
      const [key, text] = [storableKey(id), JSON.stringify(end)]
      return batches.write(() => write(statements.endOnce, [model, key, now(), text]) === 1)
    },

    async destroy(id) {
      await remove('destroy', id)
    },

    async revokeByGrantId(grantId) {
      await remove('revokeByGrantId', grantId)
    },

    async list(lookUp, limit, before) {
      const { columns, conditions, values } = lookUpSql(lookUp, before, (number) => `?${number}`)
      const statement =
        lists.get(conditions) ?? prepareList(database, columns[0] ?? 'issued_at', conditions)
      lists.set(conditions, statement)
      return read(statement, [now(), limit, ...values]).map(parseRow)
    },

    async endedIndices(list) {
      const rows = read(statements.endedIndices, [storableKey(list), now()])
      return rows.map((row) => Number(row.ended_index))
    },

    followEnded(list) {
      const key = storableKey(list)
      return followEnded((after, limit) =>
        read(statements.endedAfter, [key, after, limit]).map((row) => ({
          index: Number(row.ended_index),
          turn: Number(row.ended_turn),
        })),
      )
    },
  }
}

function parseRow(row: Record<string, unknown>): AdapterPayload {
  const { payload, consumed_at, note, ended } = row
  return decodePayload(payload, { consumed: Number(consumed_at ?? 0), note, end: ended })
}

/** How many indices are read while the process does nothing else. */
const PART_SIZE = 10_000

/** An ended index, and the number of its end. */
interface EndedRow {
  readonly index: number
  readonly turn: number
}

/**
 * Follows what ends by the number of each end. One process writes at a time, so that an end that is
 * committed later has a higher number.
 *
 * @param readPart the ends after a number, in order, so many at most
 */
export function followEnded(
  readPart: (after: number, limit: number) => readonly EndedRow[],
): EndedFollower {
  let known = 0
  return {
    async next() {
      const indices: number[] = []
      for (let after = known; ; await rest()) {
        const rows = readPart(after, PART_SIZE)
        for (const { index } of rows) indices.push(index)
        after = rows.at(-1)?.turn ?? after
        if (rows.length < PART_SIZE) {
          // Calls may run at once: what is known does not become less.
          known = Math.max(known, after)
          return indices
        }
      }
    },
  }
}
