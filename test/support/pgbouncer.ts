import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, POSTGRES_URL, reachable, until } from '../adapters/servers.ts'
import { newFolder } from './folder.ts'

const VERSION = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' })
/** From 1.21 on it can track prepared statements. */
const [, MINOR = '0'] = /^PgBouncer 1\.(\d+)/.exec(VERSION.stdout ?? '') ?? []

/** PgBouncer in transaction mode, without tracking prepared statements, with that many connections. */
export async function startPgBouncer(connections: number, database = POSTGRES_URL) {
  const port = await freePort()
  const { hostname, port: at, pathname, username, password } = new URL(database)
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
  const file = join(newFolder(), 'pgbouncer.ini')
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
    },
  }
}
