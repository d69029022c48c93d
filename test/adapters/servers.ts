import { spawn, spawnSync } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Redis } from 'ioredis'
import type { Context, Suite } from 'mocha'
import { newFolder } from '../support/folder.ts'
import { MYSQL_URL, POSTGRES_URL, REDIS_URL } from '../support/server-urls.ts'
import { inCi, skip, skippedTitle } from '../support/skipping.ts'

export { MYSQL_URL, POSTGRES_URL, REDIS_URL }

/** Servers that a test can need on this machine. */
const SERVERS = {
  Redis: { missing: `no Redis at ${hostOf(REDIS_URL)}`, runs: () => reachable(REDIS_URL, 6379) },
  PostgreSQL: {
    missing: `no PostgreSQL at ${hostOf(POSTGRES_URL)}`,
    runs: () => reachable(POSTGRES_URL, 5432),
  },
  MySQL: { missing: `no MySQL at ${hostOf(MYSQL_URL)}`, runs: () => reachable(MYSQL_URL, 3306) },
  'redis-server': { missing: 'no redis-server', runs: async () => starts('redis-server') },
  pgbouncer: { missing: 'no pgbouncer', runs: async () => starts('pgbouncer') },
} as const

export type Server = keyof typeof SERVERS

/** The part of `describe` that a test file needs. */
export type DefineSuite = (title: string, define: (this: Suite) => void) => void

/** And of `it`. */
export type DefineTest = (title: string, run: (this: Context) => Promise<void>) => void

/**
 * `describe` for tests that need servers. Where one is missing they are skipped, and the title says
 * which. In CI they run, and fail.
 */
export async function suiteOn(...servers: readonly Server[]): Promise<DefineSuite> {
  for (const server of inCi ? [] : servers) {
    const { missing, runs } = SERVERS[server]
    if (await runs()) continue
    return (title, define) => describe.skip(skippedTitle(title, missing), define)
  }
  return (title, define) => describe(title, define)
}

/** The same of `it`. */
export async function testOn(server: Server): Promise<DefineTest> {
  const { missing, runs } = SERVERS[server]
  if (inCi || (await runs())) return (title, run) => it(title, run)
  return (title, run) => it.skip(skippedTitle(title, missing), run)
}

/** Skips the test that runs, or the suite of the hook that runs, where a server is missing. */
export async function skipWithout(context: Context, server: Server): Promise<void> {
  const { missing, runs } = SERVERS[server]
  if (!(await runs())) skip(context, missing)
}

function hostOf(url: string): string {
  return new URL(url).host
}

function starts(command: string): boolean {
  return spawnSync(command, ['--version']).error === undefined
}

/** Returns whether something listens where the URL points. */
export async function reachable(url: string, defaultPort: number): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return listens(Number(port) || defaultPort, hostname)
}

function listens(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 2000 })
    const done = (answer: boolean) => () => {
      socket.destroy()
      resolve(answer)
    }
    socket.on('connect', done(true)).on('error', done(false)).on('timeout', done(false))
  })
}

/** A port on which no server listens at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}

export type PrivateRedis = Awaited<ReturnType<typeof startRedis>>

/** Starts redis-server on a free port. */
export async function startRedis(...args: string[]) {
  const port = await freePort()
  // Without it, it is the port and 10,000: one in five free ports is too high for that.
  const bus = args.includes('--cluster-enabled') ? ['--cluster-port', `${await freePort()}`] : []
  const options = ['--save', '', '--appendonly', 'no', '--dir', newFolder()]
  const line = ['--port', String(port), ...bus, ...options, ...args]
  let current = await spawnRedis(port, line)
  const kill = async () => {
    current.server.kill('SIGKILL')
    await current.end
  }
  const restart = async () => {
    current = await spawnRedis(port, line)
  }
  return {
    port,
    /** The one that runs, or ran last. */
    get process() {
      return current.server
    },
    /** Ends it as `kill -9` does. */
    kill,
    /** Starts it again on the same port and folder. */
    restart,
    /** Both. */
    async crash() {
      await kill()
      await restart()
    },
  }
}

/** Resolves once it listens. */
async function spawnRedis(port: number, line: string[]) {
  const server = spawn('redis-server', line, { stdio: 'ignore' })
  let ended = false
  const end = new Promise<void>((resolve) => {
    server.once('error', () => resolve()).once('exit', () => resolve())
  }).then(() => {
    ended = true
  })
  while (!ended) {
    if (await listens(port)) return { server, end }
    await wait(20)
  }
  throw new Error('redis-server did not start')
}

/** Shortens the lifetime of every key by that many seconds, so that no test has to wait. */
export async function ageKeys(redis: Redis, keyPrefix: string, seconds: number): Promise<void> {
  for (const key of await redis.keys(`${keyPrefix}*`)) {
    const left = await redis.pttl(key)
    if (left >= 0) await redis.pexpire(key, String(left - seconds * 1000))
  }
}

/** The error that a promise rejects with; fails when it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    (value) => expect.fail(`resolved ${String(value)}`),
    (error: Error) => error,
  )
}

/** Expects a rejection with an error of this class, this message, or both. */
export async function expectRejection(
  promise: Promise<unknown>,
  ...told: readonly (string | RegExp | (new (...given: never[]) => Error))[]
): Promise<void> {
  const error = await rejection(promise)
  for (const each of told) {
    if (typeof each === 'function') expect(error).to.be.instanceOf(each)
    else if (typeof each === 'string') expect(error.message).to.include(each)
    else expect(error.message).to.match(each)
  }
}

/** Waits until something is true, a minute at most. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await condition())) {
    if (Date.now() > deadline) expect.fail('it did not come true within a minute')
    await wait(20)
  }
}
