import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

/** A resource server that runs as a process of its own. */
export interface Running extends AsyncDisposable {
  /** Sends a request, with an access token or without. */
  ask(
    method: string,
    path: string,
    token?: string,
    headers?: Record<string, string>,
  ): Promise<Response>
}

export type Command = readonly [program: string, ...rest: string[]]

/** Starts a command, and waits until it answers at the port. */
export async function run(
  [command, ...rest]: Command,
  port: number,
  environment: Record<string, string>,
  cwd?: string,
): Promise<Running> {
  const base = `http://localhost:${port}`
  const env = { PATH: process.env.PATH, PORT: String(port), ...environment }
  const child = spawn(command, rest, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  const closed = once(child, 'close')
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  while (!(await fetch(base).catch(() => undefined))) {
    if (child.exitCode !== null) {
      await closed
      throw new Error(`${command} ${rest.join(' ')} ended: ${log}`)
    }
    await wait(20)
  }
  return {
    ask(method, path, token, others = {}) {
      const headers = token ? { ...others, authorization: `Bearer ${token}` } : others
      return fetch(base + path, { method, headers }).catch((cause) => {
        throw new Error(`it does not answer: ${log}`, { cause })
      })
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await closed
    },
  }
}
