import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from 'redis'

export const SHARED_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'

export type Client = Awaited<ReturnType<typeof connected>>

/** A client that fails while it is not connected. */
export async function connected(url = SHARED_URL) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: false },
  })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Removes the keys of the audits whose prefix begins so. */
export async function removeKeys(client: Client, prefix: string): Promise<void> {
  for await (const keys of client.scanIterator({ MATCH: `{${prefix}*`, COUNT: 1000 })) {
    if (keys.length > 0) await client.unlink(keys)
  }
}

/** A server of the test's own. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Stops it for a while: it answers nothing, and connections stay open. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

export async function startRedis(...args: string[]): Promise<RedisServer> {
  const port = await freePort()
  const directory = await mkdtemp(join(tmpdir(), 'audit-redis-'))
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory]
  const server = spawn('redis-server', [...options, '--save', '', ...args], { stdio: 'ignore' })
  const ended = once(server, 'exit')
  const url = `redis://127.0.0.1:${port}`
  for (let tries = 0; ; tries += 1) {
    try {
      const client = await connected(url)
      client.destroy()
      break
    } catch (error) {
      if (tries === 200 || server.exitCode !== null) throw error
      await wait(25)
    }
  }
  return {
    port,
    url,
    pause: () => server.kill('SIGSTOP'),
    resume: () => server.kill('SIGCONT'),
    async stop() {
      server.kill('SIGKILL')
      await ended
      await rm(directory, { recursive: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('there is no port')
  // A node of a cluster listens at this port and at the one 10,000 above.
  return address.port > 55_000 ? freePort() : address.port
}
