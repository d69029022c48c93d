import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { adapterContract } from '../../packages/testing/src/adapters/index.ts'
import { inCi, POSTGRES_URL, reachable } from '../adapters/servers.ts'
import { type Factory, itExcept, race } from './race.ts'

const available = await reachable(POSTGRES_URL, 5432)

const REFUSED_BY_JSONB = [
  'gives back unusual payloads exactly as they were',
  'stores 64 KiB, of one byte a character and of several',
  'tells accounts, actors, clients and ids apart, whatever characters they are of',
  'tells status lists apart, whatever characters their names are of',
]

/** One client of the library under test, with a pool of its own. */
export interface Store {
  factory: Factory
  close(): Promise<unknown>
}

/** Opens a store on a database, of which the URL says the schema. */
type Open = (url: string, schema: string) => Promise<Store>

interface Options {
  /** Opens a store that cannot work; left out, it is one that was closed. */
  broken?: Open
  /** The payload is `jsonb`, which takes no NUL character and no lone surrogate, and refuses them. */
  jsonb?: boolean
}

/** Defines the tests of a recipe on a schema of its own in the shared PostgreSQL. */
export function onPostgres(open: Open, createTables: Open | string, options: Options = {}): void {
  if (!available && !inCi) {
    it.skip(`nothing listens at ${POSTGRES_URL}`)
    return
  }
  const schema = `recipe_${randomBytes(6).toString('hex')}`
  const url = new URL(POSTGRES_URL)
  url.searchParams.set('options', `-c search_path=${schema}`)
  let database: Client
  let first: Store
  let second: Store

  before(async () => {
    database = new Client({ connectionString: url.href })
    await database.connect()
    await database.query(`CREATE SCHEMA ${schema}`)
    if (typeof createTables === 'string') await database.query(createTables)
    else await (await createTables(url.href, schema)).close()
    first = await open(url.href, schema)
    second = await open(url.href, schema)
  })
  after(async () => {
    await first?.close()
    await second?.close()
    await database.query(`DROP SCHEMA ${schema} CASCADE`)
    await database.end()
  })

  async function setExpiry(expression: string) {
    const tables = await database.query<{ name: string }>(
      'SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = $1',
      [schema],
    )
    for (const { name } of tables.rows) {
      await database.query(`UPDATE ${name} SET "expiresAt" = ${expression}`)
    }
  }

  adapterContract({
    ending: true,
    describe,
    it: options.jsonb ? itExcept(...REFUSED_BY_JSONB) : it,
    create: () => first.factory,
    advance: (seconds) => setExpiry(`"expiresAt" - ${seconds} * interval '1 s'`),
    leaveExpired: () => setExpiry("now() - interval '1 h'"),
    async createBroken() {
      if (options.broken) return (await options.broken(url.href, schema)).factory
      const closed = await open(url.href, schema)
      await closed.close()
      return closed.factory
    },
  })

  race(() => [first.factory, second.factory])
}
