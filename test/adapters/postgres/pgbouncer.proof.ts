import { expect } from 'chai'
import { Pool } from 'pg'
import { createPostgresAdapter } from '../../../src/adapters/postgres/index.ts'
import { startPgBouncer } from '../../support/pgbouncer.ts'
import { suiteOn } from '../servers.ts'
import { ownSchema } from './schema.ts'

const suite = await suiteOn('pgbouncer', 'PostgreSQL')

suite('createPostgresAdapter, behind PgBouncer in transaction mode', () => {
  const { schema } = ownSchema()
  let pool: Pool
  let bouncer: Awaited<ReturnType<typeof startPgBouncer>>

  before(async () => {
    bouncer = await startPgBouncer(2)
    pool = new Pool({ connectionString: bouncer.url, max: 6 })
  })
  after(async () => {
    await pool?.end()
    await bouncer?.stop()
  })

  /** The answers to six clients at once. */
  const finds = async (prepare: boolean) => {
    const adapter = createPostgresAdapter({ pool, schema, prepare, group: false })('Session')
    const rounds = Array.from({ length: 60 }, (_, count) => adapter.find(`s${count}`))
    return Promise.allSettled(rounds)
  }

  it('says prepare: false where the pooler mixes up prepared statements', async () => {
    const failures = (await finds(true)).flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason] : [],
    )
    const codes = new Set(failures.map(({ code }) => code))
    expect([...codes], 'prepared twice').to.include('42P05')
    for (const { message } of failures) expect(message).to.match(/Set prepare: false\./)
  })

  it('works with prepare: false', async () => {
    for (const outcome of await finds(false)) expect(outcome.status).to.equal('fulfilled')
    const adapter = createPostgresAdapter({ pool, schema, prepare: false })('SubjectToken')
    await adapter.upsert('t', { accountId: 'alice' }, 60)
    const twenty = Array.from({ length: 20 }, () => adapter.consumeOnce('t'))
    expect((await Promise.all(twenty)).filter(Boolean)).to.have.length(1)
  })
})
