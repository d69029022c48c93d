import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createApp } from '../../example-provider/app.ts'
import { readConfig } from '../../example-provider/config.ts'
import { Application } from '../../example-provider/demo/application.ts'
import { startServer } from '../../example-provider/server.ts'
import { newFolder } from '../support/folder.ts'
import { closed, listening } from '../support/token-issuer.ts'

export const MAIN = join(import.meta.dirname, '../../example-provider/main.ts')
export const DEMO = join(import.meta.dirname, '../../example-provider/demo/main.ts')

/** Secrets that are not public. A copy whose BASE_URL is not this machine needs them. */
export const OWN_SECRETS = {
  SUPPORT_BACKEND_SECRET: 'a backend secret of our own',
  SUPPORT_WEB_SECRET: 'a web secret of our own',
  COPILOT_SECRET: 'a copilot secret of our own',
  DEMO_PASSWORD: 'a password of our own',
}

/** The export condition by which the example finds the sources of this package. */
const CONDITION = '--conditions=oidc-provider-impersonation'

type Environment = Record<string, string>

/** Something that runs at an origin, and can be ended. */
export interface Example extends AsyncDisposable {
  readonly url: string
}

/** An example on free ports, in this process. */
export async function start(environment: Environment = {}) {
  const own = { PORT: '0', SHOP_PORT: '0', DATA_DIR: newFolder(), STORAGE_URL: 'memory:' }
  const { url, shopUrl, close } = await startServer(
    readConfig({ ...own, ...environment }),
    createApp,
  )
  return { url, shopUrl, [Symbol.asyncDispose]: () => close() }
}

/** The access token of a user who signed in to the support console. */
export async function signIn(base: string, login = 'olivia'): Promise<string> {
  const application = await Application.discover(base)
  return application.signIn(login, 'demo-password')
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Record<string, unknown>
}

export async function send(url: string | URL, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, {
    redirect: 'manual',
    signal: AbortSignal.timeout(15_000),
    ...init,
  })
  const body = await response.text()
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    json = undefined
  }
  return {
    status: response.status,
    headers: response.headers,
    text: body,
    body: typeof json === 'object' && json !== null ? { ...json } : {},
  }
}

export function postForm(
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return send(url, { method: 'POST', body: new URLSearchParams(fields), headers })
}

export function postJson(
  url: string,
  body: unknown,
  token?: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return send(url, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  })
}

/** A server of another party: it replaces the provider, or stands in front of it. */
export async function listen(handler: RequestListener): Promise<Example> {
  const server = createServer(handler)
  const url = (await listening(server)).replace('127.0.0.1', 'localhost')
  return { url, [Symbol.asyncDispose]: () => closed(server) }
}

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The variables that every process needs, without any variable of the example. */
export function bare(environment: Environment): Environment {
  return { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment }
}

/** Runs one of the example's programs to its end. */
export async function run(
  file: string,
  environment: Environment = {},
  ...args: string[]
): Promise<Ended> {
  const child = spawn(process.execPath, [CONDITION, file, ...args], { env: bare(environment) })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, stdout, stderr }
}

export type Running = Awaited<ReturnType<typeof launch>>

/** Starts main.ts as a process of its own, and waits until it is ready. */
export async function launch(environment: Environment, ...args: string[]) {
  const child = spawn(process.execPath, [CONDITION, MAIN, ...args], {
    env: bare({ PORT: '0', SHOP_PORT: '0', ...environment }),
  })
  let stdout = ''
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code]) => ({ code, stdout, stderr }))
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      stdout += chunk
      if (stdout.includes('Ctrl-C ends it.\n')) resolve()
    })
  })
  await Promise.race([ready, ended])
  const url = /is running: (\S+)/.exec(stdout)?.[1]
  if (url === undefined) throw new Error(`it did not start: ${stderr}`)
  return {
    child,
    url,
    /** Resolves with what it printed once it has ended. */
    ended,
    /** The lines that it has printed so far. */
    printed: () => stdout,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
