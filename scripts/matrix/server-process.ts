import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const START_TIMEOUT_MS = 60_000

/** A process that runs the code block of the README. */
export interface ServerProcess extends AsyncDisposable {
  readonly base: string
}

/**
 * Starts a server, and resolves when it answers.
 *
 * @throws Error with the output of the process, if it ended before.
 */
export async function start(node: string, file: string): Promise<ServerProcess> {
  const port = await freePort()
  const base = `http://localhost:${port}`
  const env = { PATH: process.env.PATH, PORT: String(port), BASE_URL: base }
  // This is a file and not a pipe. Node prints the source line that threw. In a minified file this
  // line has a megabyte, and a pipe loses the text after it.
  const log = `${file}.${port}.log`
  const stderr = await open(log, 'w')
  const child = spawn(node, [file], {
    cwd: dirname(file),
    env,
    stdio: ['ignore', 'ignore', stderr.fd],
  })
  const closed = once(child, 'close')
  const stop = async () => {
    child.kill()
    await closed
    await stderr.close()
  }
  const deadline = Date.now() + START_TIMEOUT_MS
  while (!(await answers(`${base}/oidc/.well-known/openid-configuration`))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      const written = await readFile(log, 'utf8')
      const lines = written.split('\n').filter((line) => line.length < 1000)
      throw new Error(lines.join('\n').trim() || `${file} did not answer`)
    }
    await wait(100)
  }
  return { base, [Symbol.asyncDispose]: stop }
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('no port is free')
  return address.port
}
