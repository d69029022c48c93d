import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../adapters/servers.ts'

type Headers = Readonly<Record<string, string>>

export type Program = Awaited<ReturnType<typeof launch>>

export type Command = readonly [program: string, ...rest: string[]]

/**
 * Starts a file of a document or an example by Node, or a command, as its reader does, and waits until
 * it answers at its port. It ends with the scope.
 */
export async function launch(file: string | Command, environment: Headers = {}, cwd?: string) {
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
    /** Everything that it has printed so far. */
    get log() {
      return log
    },
    /** Resolves its exit code. */
    stop,
    /** @param credentials headers, or a bearer token */
    async ask(
      method: string,
      path: string,
      credentials: string | Headers = {},
      others: Headers = {},
    ) {
      const isToken = typeof credentials === 'string'
      const own = isToken ? { authorization: `Bearer ${credentials}` } : credentials
      const headers = { ...others, ...own }
      const response = await fetch(base + path, { method, headers }).catch((cause) => {
        throw new Error(`it does not answer: ${log}`, { cause })
      })
      const text = await response.text()
      const body: Record<string, unknown> = text.startsWith('{') ? JSON.parse(text) : {}
      return { status: response.status, headers: response.headers, body }
    },
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}
