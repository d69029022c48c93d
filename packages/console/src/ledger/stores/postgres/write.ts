import type { NewSum, Written } from '../../store.ts'
import { UnstorableError } from '../../unstorable.ts'
import type { SqlDialect } from '../sql/dialect.ts'
import { sql } from '../sql/sql.ts'
import { numberIn, type ResultRow } from '../stored-columns.ts'
import { badDataCodeOf, isOvertaken, type PostgresPool, rowsOfQuery } from './client.ts'

/** Entries, sums, slots, deadline. */
const WRITE_STATEMENT = {
  name: 'impersonation_audit_write',
  text: `SELECT outcome, CAST(place AS float8) AS place, CAST(now AS float8) AS now
FROM impersonation_audit_write(CAST($1 AS json), CAST($2 AS json), CAST($3 AS json), CAST($4 AS bigint))`,
}

const TIME_QUERY = sql`
SELECT CAST(floor(CAST(extract(epoch FROM clock_timestamp()) AS numeric) * 1000.0) AS float8) AS now,
  current_setting('server_encoding') AS encoding`

/** Writes by the functions of the schema: the lock is never held over a round trip. */
export function postgresWrites(pool: PostgresPool, prepare: boolean) {
  /** The newest time of the server, and when it arrived here, by the monotonic clock. */
  let clock = { time: 0, at: 0 }
  const { name, text } = WRITE_STATEMENT
  const statement = prepare ? { name, text } : { text }

  function learnTime(now: number): void {
    clock = { time: now, at: performance.now() }
  }

  /** @returns `undefined` where another write came between */
  async function writeOnce(values: readonly (string | number)[]): Promise<Written | undefined> {
    try {
      const { rows } = await pool.query({ ...statement, values: [...values] })
      const { outcome, ...found } = Object(rows[0])
      learnTime(numberIn(found, 'now'))
      if (outcome !== 'stored') return { is: outcome === 'late' ? 'late' : 'changed' }
      return { is: 'stored', number: numberIn(found, 'place') }
    } catch (cause) {
      if (isOvertaken(cause)) return undefined
      const code = badDataCodeOf(cause)
      if (code === undefined) throw cause
      throw new UnstorableError(`PostgreSQL refuses what is in the entry (${code})`, { cause })
    }
  }

  return {
    async findTime() {
      const [found = {}] = await rowsOfQuery(pool, TIME_QUERY)
      learnTime(numberIn(found, 'now'))
      return found
    },
    // Its clock was read before the answer arrived: the deadline is no later than it should be.
    deadlineIn: (withinMs) => Math.floor(clock.time + (performance.now() - clock.at) + withinMs),
    async write({ entries, sums, slots }, deadline) {
      const values = [
        JSON.stringify(entries),
        `[${sums.map(recordOf).join(',')}]`,
        JSON.stringify(slots),
        deadline,
      ]
      const written = await writeOnce(values)
      // At another isolation level it began to see before it had the lock: it may have missed itself.
      if (written && written.is !== 'late') return written
      return (await writeOnce(values)) ?? { is: 'changed' }
    },
    async remove({ sums, alone }) {
      const [given, numbers] = [JSON.stringify(sums), JSON.stringify(alone)]
      const [found = {}] = await rowsOfQuery(
        pool,
        sql`SELECT CAST(impersonation_audit_remove(CAST(${given} AS json), CAST(${numbers} AS json)) AS float8) AS removed`,
      )
      return numberIn(found, 'removed')
    },
  } satisfies Partial<SqlDialect> & { findTime(): Promise<ResultRow> }
}

/** JSON of a sum, without encoding its own JSON again. */
function recordOf({ data, ...sum }: NewSum): string {
  return `${JSON.stringify(sum).slice(0, -1)},"data":${data}}`
}
