import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Pool } from 'pg'
import { createPostgresAdapter, migrate } from '../../../src/adapters/postgres/index.ts'
import { freePort, POSTGRES_URL, reachable, suiteOn, until } from '../servers.ts'

const VERSION = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' })
/** From 1.21 on it can track prepared statements. */
const [, MINOR = '0'] = /^PgBouncer 1\.(\d+)/.exec(VERSION.stdout ?? '') ?? []
const suite = await suiteOn('pgbouncer', 'PostgreSQL')

/** PgBouncer in transaction mode, without tracking prepared statements, with that many connections. */
async function startPgBouncer(connections: number) {
  const [port, dir] = [await freePort(), await mkdtemp(join(tmpdir(), 'pgbouncer-'))]
  const { hostname, port: at, pathname, username, password } = new URL(POSTGRES_URL)
  const user = `user=${username}${password === '' ? '' : ` password=${decodeURIComponent(password)}`}`
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: connections,
    // Takes connections in turn, so that clients soon share them.
    server_round_robin: 1,
    ...(Number(MINOR) >= 21 ? { max_prepared_statements: 0 } : {}),
  }
  const file = join(dir, 'pgbouncer.ini')
  await writeFile(
    file,
    `[databases]\nall = host=${hostname} port=${at || 5432} dbname=${pathname.slice(1)} ${user}\n` +
      `[pgbouncer]\n${Object.entries(settings)
        .map(([name, value]) => `${name} = ${value}\n`)
        .join('')}`,
  )
  // It does not run as root.
  const asUser = process.getuid?.() === 0 ? ['--user', 'nobody'] : []
  const bouncer: ChildProcess = spawn('pgbouncer', ['--quiet', ...asUser, file], {
    stdio: 'ignore',
  })
  const url = `postgres://anyone@127.0.0.1:${port}/all`
  await until(() => reachable(url, port))
  return {
    url,
    async stop() {
      bouncer.kill('SIGKILL')
      if (bouncer.exitCode === null && bouncer.signalCode === null) await once(bouncer, 'exit')
      await rm(dir, { recursive: true, force: true })
    },
  }
}

suite('createPostgresAdapter, behind PgBouncer in transaction mode', () => {
  const schema = `test_${randomBytes(6).toString('hex')}`
  let direct: Pool
  let pool: Pool
  let bouncer: Awaited<ReturnType<typeof startPgBouncer>>

  before(async () => {
    direct = new Pool({ connectionString: POSTGRES_URL, max: 1 })
    await migrate(direct, { schema })
    bouncer = await startPgBouncer(2)
    pool = new Pool({ connectionString: bouncer.url, max: 6 })
  })
  after(async () => {
    await pool?.end()
    await bouncer?.stop()
    await direct.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await direct.end()
  })

  /** What six clients at once are answered. */
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
