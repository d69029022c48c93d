import { spawn } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { reachable } from '../adapters/servers.ts'

export interface RedisServer extends AsyncDisposable {
  readonly port: number
  stop(): Promise<void>
}

/** A redis-server on a port of the test's choosing; `undefined` where it is not installed. */
export async function startRedis(
  port: number,
  ...args: string[]
): Promise<RedisServer | undefined> {
  const options = ['--port', String(port), '--save', '', '--appendonly', 'no', ...args]
  const server = spawn('redis-server', options, { stdio: 'ignore' })
  let ended = false
  const end = new Promise<void>((resolve) => {
    server.once('error', () => resolve()).once('exit', () => resolve())
  }).then(() => {
    ended = true
  })
  const url = `redis://127.0.0.1:${port}`
  for (let tries = 0; tries < 250 && !ended; tries += 1) {
    if (await reachable(url, port)) {
      const stop = async () => {
        server.kill('SIGKILL')
        await end
      }
      return { port, stop, [Symbol.asyncDispose]: stop }
    }
    await wait(20)
  }
  server.kill('SIGKILL')
  return undefined
}
