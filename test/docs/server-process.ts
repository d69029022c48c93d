import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../adapters/servers.ts'

type Headers = Readonly<Record<string, string>>

/** A program of a document or an example, run as its reader runs it. It ends with the scope. */
export interface ServerProcess extends AsyncDisposable {
  readonly base: string
  /** Everything that it has written to stderr so far. */
  readonly log: string
  /** @param credentials headers, or a bearer token */
  ask(method: string, path: string, credentials?: string | Headers): Promise<Answered>
  /** Resolves its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

interface Answered {
  readonly status: number
  readonly headers: globalThis.Headers
  readonly body: Record<string, unknown>
}

/** Starts a program on a free port, and waits until it listens there. */
export async function launch(file: string, environment: Headers = {}): Promise<ServerProcess> {
  const PORT = environment.PORT ?? String(await freePort())
  const { PATH } = process.env
  const env = { PATH, NODE_ENV: 'production', ...environment, PORT }
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit')
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const base = `http://localhost:${PORT}`
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (!hasEnded()) child.kill(signal)
    await exited
    return child.exitCode
  }
  while (!(await fetch(base).catch(() => undefined))) {
    if (hasEnded()) throw new Error(`${file} ended: ${log}`)
    await wait(20)
  }
  return {
    base,
    get log() {
      return log
    },
    stop,
    async ask(method, path, credentials = {}) {
      const isToken = typeof credentials === 'string'
      const headers = isToken ? { authorization: `Bearer ${credentials}` } : credentials
      const response = await fetch(base + path, { method, headers })
      const text = await response.text()
      const body = text.startsWith('{') ? JSON.parse(text) : {}
      return { status: response.status, headers: response.headers, body }
    },
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}
