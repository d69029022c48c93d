import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Redis } from 'ioredis'

/** The servers that the tests run against. */
export const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
export const POSTGRES_URL = process.env.POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/test'

/** In CI a server that is missing is a failure, not a reason to skip. */
export const inCi = Boolean(process.env.CI)

/** Whether something listens where the URL points. */
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

/** A port that nobody listens on at the moment. */
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

/** A Redis of the test's own, for what must not be done to a shared one. */
export interface PrivateRedis {
  readonly port: number
  readonly process: ChildProcess
  stop(): Promise<void>
}

/** Starts redis-server on a free port; undefined where it is not installed. */
export async function startRedis(...args: string[]): Promise<PrivateRedis | undefined> {
  const port = await freePort()
  const dir = await mkdtemp(join(tmpdir(), 'adapters-redis-'))
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--save', '', '--appendonly', 'no', '--dir', dir, ...args],
    { stdio: 'ignore' },
  )
  let ended = false
  const end = new Promise<void>((resolve) => {
    server.once('error', () => resolve()).once('exit', () => resolve())
  }).then(() => {
    ended = true
  })
  const stop = async () => {
    server.kill('SIGKILL')
    await end
    await rm(dir, { recursive: true, force: true })
  }
  while (!ended) {
    if (await listens(port)) return { port, process: server, stop }
    await wait(20)
  }
  await stop()
  return undefined
}

/** Takes that many seconds from the life of every key, so that no test has to wait. */
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

/** Waits until something is true, five seconds at most. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 250 && !(await condition()); i += 1) await wait(20)
}
