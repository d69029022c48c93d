import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../adapters/servers.ts'

type Headers = Readonly<Record<string, string>>

/** A program of a document or an example, run as its reader runs it. It ends with the scope. */
export interface Program extends AsyncDisposable {
  readonly base: string
  /** Everything that it has printed so far. */
  readonly log: string
  /** @param credentials headers, or a bearer token */
  ask(
    method: string,
    path: string,
    credentials?: string | Headers,
    others?: Headers,
  ): Promise<Answered>
  /** Resolves its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

interface Answered {
  readonly status: number
  readonly headers: globalThis.Headers
  readonly body: Record<string, unknown>
}

export type Command = readonly [program: string, ...rest: string[]]

/** Starts a file by Node, or a command, and waits until it answers at its port. */
export async function launch(
  file: string | Command,
  environment: Headers = {},
  cwd?: string,
): Promise<Program> {
  const [command, ...rest] = typeof file === 'string' ? [process.execPath, file] : file
  const PORT = environment.PORT ?? String(await freePort())
  const { PATH } = process.env
  const env = { PATH, NODE_ENV: 'production', ...environment, PORT }
  const child = spawn(command, rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const base = `http://localhost:${PORT}`
  let log = ''
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk) => {
      log += chunk
    })
  }
  while (!(await fetch(base).catch(() => undefined))) {
    if (hasEnded()) {
      await closed
      throw new Error(`${command} ${rest.join(' ')} ended: ${log}`)
    }
    await wait(20)
  }
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (!hasEnded()) child.kill(signal)
    await closed
    return child.exitCode
  }
  return {
    base,
    get log() {
      return log
    },
    stop,
    async ask(method, path, credentials = {}, others = {}) {
      const isToken = typeof credentials === 'string'
      const own = isToken ? { authorization: `Bearer ${credentials}` } : credentials
      const headers = { ...others, ...own }
      const response = await fetch(base + path, { method, headers }).catch((cause) => {
        throw new Error(`it does not answer: ${log}`, { cause })
      })
      const text = await response.text()
      const body = text.startsWith('{') ? JSON.parse(text) : {}
      return { status: response.status, headers: response.headers, body }
    },
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}
