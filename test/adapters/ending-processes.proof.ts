import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Pool } from 'pg'
import type { EndingAdapter } from '../../src/adapters/contract.ts'
import { createPostgresAdapter, migrate } from '../../src/adapters/postgres/index.ts'
import { createSqliteAdapter } from '../../src/adapters/sqlite/index.ts'
import type { Attempt } from './ending-process.ts'
import { POSTGRES_URL, skipWithout } from './servers.ts'

const ROUNDS = 1000
const script = join(import.meta.dirname, 'ending-process.ts')

async function start(where: string[], role: string) {
  const child = fork(script, [...where, role, String(ROUNDS)], { execArgv: ['--no-warnings'] })
  await once(child, 'message')
  return async (at: number): Promise<Attempt[]> => {
    const [answer, exit] = [once(child, 'message'), once(child, 'exit')]
    child.send(at)
    const [attempts] = await answer
    await exit
    return attempts
  }
}

/** One process consumes and another ends the same record at the same moment, a thousand times. */
async function race(adapter: EndingAdapter, where: string[]): Promise<void> {
  for (let i = 0; i < ROUNDS; i += 1) {
    await adapter.upsert(`round-${i}`, { accountId: 'alice', iat: i }, 600)
  }
  const run = await Promise.all([start(where, 'consume'), start(where, 'end')])
  const at = Number(process.hrtime.bigint()) / 1e6 + 50
  const [consumptions = [], ends = []] = await Promise.all(run.map((each) => each(at)))

  const outcomes = { both: 0, endedAlone: 0 }
  for (let i = 0; i < ROUNDS; i += 1) {
    const [consumption, end] = [consumptions[i], ends[i]]
    if (!consumption || !end) return expect.fail(`round ${i} was not played`)
    const record = await adapter.find(`round-${i}`)
    expect(end.won, 'the only end wins').to.equal(true)
    expect(record?.end).to.deep.equal({ round: i })
    expect(record?.consumed !== undefined, 'who was told and what is kept').to.equal(
      consumption.won,
    )
    expect(record?.note).to.deep.equal(consumption.won ? { actor: 'olivia', round: i } : undefined)
    if (consumption.won) {
      expect(end.done, 'no consumption after an end').to.be.greaterThan(consumption.began)
      outcomes.both += 1
    } else {
      expect(end.began, 'nothing else hinders a consumption').to.be.lessThan(consumption.done)
      outcomes.endedAlone += 1
    }
    expect(await adapter.consumeOnce(`round-${i}`)).to.equal(false)
  }
  console.log(`      ${outcomes.both} consumed, then ended; ${outcomes.endedAlone} ended alone`)
  expect(Math.min(outcomes.both, outcomes.endedAlone), 'it was a race').to.be.greaterThan(0)
}

describe('one process consumes what another ends: consumed first, or never', () => {
  it('on SQLite', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adapters-sqlite-'))
    const file = join(folder, 'race.db')
    const factory = createSqliteAdapter({ file })
    await race(factory('SubjectToken'), ['sqlite', file, ''])
    factory.close()
    await rm(folder, { recursive: true })
  })

  it('on PostgreSQL', async function () {
    await skipWithout(this, 'PostgreSQL')
    const schema = `test_${randomBytes(6).toString('hex')}`
    const pool = new Pool({ connectionString: POSTGRES_URL, max: 2 })
    await migrate(pool, { schema })
    try {
      const adapter = createPostgresAdapter({ pool, schema })('SubjectToken')
      await race(adapter, ['postgres', POSTGRES_URL, schema])
    } finally {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`)
      await pool.end()
    }
  })
})
