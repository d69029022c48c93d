import {
  ALL_OUTCOMES,
  type Outcome,
  outcomeOf,
  present,
} from 'oidc-provider-impersonation-verify/format'
import { type DayCounts, UTC_DAY_MS } from '../../day-counts.ts'
import type { AuditStore } from '../../store.ts'
import { numberIn, type ResultRow, textIn } from '../stored-columns.ts'
import type { SqlDialect } from './dialect.ts'
import { PERMIT_TABLE, ROW_TABLE } from './tables.ts'

const dayOfColumn = (time: string) => `CAST(${time} / ${UTC_DAY_MS} AS float8) AS day`
const isTrue = (condition: string, name: string) => `CAST(${condition} AS integer) AS ${name}`
const COUNT = 'CAST(count(*) AS float8) AS count'

/** Of what never was an impersonation, under the names of the facts of a row: it stands as refused. */
const NO_ROW = "'' AS cause, 0 AS asked, 0 AS started, 0 AS over, 0 AS unapproved"

// Of facts alone: `outcomeOf` says how a row stands.
/** Now, and three times from and to. */
const COUNTED = `
SELECT 'row' AS kind, ${dayOfColumn('at')}, coalesce(end_cause, '') AS cause,
  ${isTrue('asked_at IS NOT NULL', 'asked')}, ${isTrue('started_at IS NOT NULL', 'started')},
  ${isTrue('coalesce(expires_at, 0) <= CAST(? AS bigint)', 'over')},
  ${isTrue('unapproved IS NOT NULL', 'unapproved')}, ${COUNT}
FROM ${ROW_TABLE} WHERE at >= ? AND at < ? GROUP BY 1, 2, 3, 4, 5, 6, 7
UNION ALL
SELECT 'permit' AS kind, ${dayOfColumn('at')}, ${NO_ROW}, ${COUNT}
FROM ${PERMIT_TABLE} WHERE state = 'refused' AND at >= ? AND at < ? GROUP BY 2
UNION ALL
SELECT 'objected' AS kind, ${dayOfColumn('objected_at')}, ${NO_ROW}, ${COUNT}
FROM ${ROW_TABLE} WHERE objected_at >= ? AND objected_at < ? GROUP BY 2`

/** Counts of days in a SQL database. */
export function sqlDays({ read }: Pick<SqlDialect, 'read'>): Pick<AuditStore, 'countByDay'> {
  return {
    async countByDay({ from, to, now }) {
      const found = await read({ text: COUNTED, values: [now, from, to, from, to, from, to] })
      const byDay = Map.groupBy(found, (columns) => numberIn(columns, 'day') * UTC_DAY_MS)
      return [...byDay]
        .map(([day, columns]) => dayCountsIn(day, columns, now))
        .toSorted((one, other) => one.day - other.day)
    },
  }
}

function dayCountsIn(day: number, found: readonly ResultRow[], now: number): DayCounts {
  const starts: Partial<Record<Outcome, number>> = {}
  const counts = { unapproved: 0, refused: 0, objected: 0 }
  for (const columns of found) {
    const count = numberIn(columns, 'count')
    if (textIn(columns, 'kind') === 'objected') {
      counts.objected += count
      continue
    }
    const outcome = outcomeIn(columns, now)
    if (numberIn(columns, 'started') === 1) {
      starts[outcome] = (starts[outcome] ?? 0) + count
      if (numberIn(columns, 'unapproved') === 1) counts.unapproved += count
    } else if (outcome === 'refused') counts.refused += count
  }
  return { day, starts, ...counts }
}

/** How each of the rows stands of which these facts are known. */
function outcomeIn(columns: ResultRow, now: number): Outcome {
  const cause = textIn(columns, 'cause')
  if (cause !== '') return endedBy(cause)
  const at = (name: string) => (numberIn(columns, name) === 1 ? now : undefined)
  const expiresAt = at('over') ?? now + 1
  return outcomeOf(
    { ...present({ askedAt: at('asked'), startedAt: at('started') }), expiresAt },
    now,
  )
}

function endedBy(cause: string): Outcome {
  const found = ALL_OUTCOMES.find((outcome) => outcome === cause)
  if (found) return found
  throw new Error('the storage of the audit answered with an end that is not known')
}
