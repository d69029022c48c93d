// A process that makes shuffled groups of calls: started by deadlock-hunt.ts.
import { randomInt } from 'node:crypto'
import { Pool } from 'pg'
import { createPostgresAdapter, type PostgresQuery } from '../../src/adapters/postgres/index.ts'
import { POSTGRES_URL } from './servers.ts'

/** What a process did since its last message. */
export interface HuntMessage {
  readonly calls: number
  readonly groups: number
  /** The ids of the records that it consumed. */
  readonly won: readonly string[]
  readonly failure?: string
}

/** The same rows in both processes, new ones every half second. */
const ROWS = 24
const ROUND_MS = 500
/** Groups that a process has under way at the same time. */
const AT_ONCE = 6
const CALLS = 40

const [schema = '', seconds = '0'] = process.argv.slice(2)
const until = Date.now() + Number(seconds) * 1000
let done = { calls: 0, groups: 0, won: [] as string[] }

const pool = new Pool({ connectionString: POSTGRES_URL, max: AT_ONCE + 4 })
const watched = {
  // what a group meets is looked for here, because the adapter then runs each of its calls alone
  query: async (query: PostgresQuery) => {
    if (query.name?.endsWith('All')) done.groups += 1
    try {
      return await pool.query(query)
    } catch (error) {
      return fail(error)
    }
  },
}
const factory = createPostgresAdapter({ pool: watched, schema })
const adapter = factory('SubjectToken')

/** Rows that keep their winner, and rows that are revoked, expire and come back. */
function oneCall(): Promise<unknown> {
  const round = Math.floor(Date.now() / ROUND_MS)
  const kept = `${round}-kept-${randomInt(ROWS)}`
  const passing = `${round}-passing-${randomInt(ROWS)}`
  const grantId = `${round}-${randomInt(2)}`
  const payload = { accountId: 'alice', iat: round, statusList: 'list', statusIndex: randomInt(99) }
  switch (randomInt(12)) {
    case 0:
    case 1:
    case 2:
      return adapter.upsert(kept, payload, 60)
    case 3:
    case 4:
    case 5:
      return adapter.upsert(passing, { ...payload, grantId }, Math.random())
    case 6:
    case 7:
    case 8:
      return adapter.consumeOnce(kept, { actor: 'olivia' }).then((won) => {
        if (won) done.won.push(kept)
      })
    case 9:
      return adapter.consumeOnce(passing, { actor: 'olivia' })
    case 10:
      return adapter.endOnce(passing, { cause: 'requested' })
    default:
      return randomInt(4) ? adapter.revokeByGrantId(grantId) : factory.deleteExpired()
  }
}

async function callInGroups(): Promise<void> {
  while (Date.now() < until) {
    done.calls += CALLS
    await Promise.all(Array.from({ length: CALLS }, oneCall))
  }
}

function tell(failure?: string): Promise<void> {
  const message: HuntMessage = { ...done, ...(failure === undefined ? {} : { failure }) }
  done = { calls: 0, groups: 0, won: [] }
  return new Promise((resolve) => process.send?.(message, () => resolve()))
}

async function fail(error: unknown): Promise<never> {
  await tell(error instanceof Error ? `${Object(error).code}: ${error.message}` : 'no Error')
  process.exit(1)
}

const telling = setInterval(() => void tell(), 200)
await Promise.all(Array.from({ length: AT_ONCE }, callInGroups))
clearInterval(telling)
await pool.end()
await tell()
process.disconnect()
