import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { freePort } from '../adapters/servers.ts'

/** A server of docs/frameworks.md, run as a process of its own. */
export interface FrameworkServer extends AsyncDisposable {
  readonly base: string
  /** What it has written to stderr so far. */
  readonly log: string
  /** Runs `try.mjs` of the document against it, and answers what it prints. */
  tryOut(): Promise<string>
}

/** What `try.mjs` prints, as the document says it. */
export const TRIED_OUT = `401 without a machine-to-machine token
201 subject token
200 access token: alice at https://orders.example.com
`

/** Starts the server that a file of the document is. */
export async function launch(file: string): Promise<FrameworkServer> {
  const port = await freePort()
  const base = `http://localhost:${port}`
  const cwd = dirname(file)
  const env = { PATH: process.env.PATH, PORT: String(port), NODE_ENV: 'production' }
  const child = spawn(process.execPath, [file], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  while (!(await fetch(base).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`${file} ended: ${log}`)
    await wait(20)
  }
  return {
    base,
    get log() {
      return log
    },
    async tryOut() {
      const { stdout } = await promisify(execFile)(process.execPath, ['try.mjs'], { cwd, env })
      return stdout
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** Whatever the framework: it issues and exchanges, and a browser can sign in below the mount. */
export async function expectWhole(server: FrameworkServer): Promise<void> {
  const { base } = server
  expect(await server.tryOut()).to.equal(TRIED_OUT)
  const discovery = await fetch(`${base}/oidc/.well-known/openid-configuration`)
  expect(await discovery.json()).to.include({
    issuer: `${base}/oidc`,
    authorization_endpoint: `${base}/oidc/auth`,
  })
  // The page for signing in is found by the cookie that the authorization endpoint has set.
  const page = await signInPage(base, `${base}/oidc`)
  expect([page.status, await page.text()].join(' ')).to.match(/^200 .*<title>Sign-in/s)
  for (const [method, path] of [
    ['GET', '/api/impersonations'],
    ['POST', '/api/impersonations/end'],
    ['GET', '/api/impersonations/an-id'],
    ['POST', '/api/impersonations/an-id/end'],
  ] as const) {
    const { status, headers } = await fetch(base + path, { method })
    const challenge = headers.get('www-authenticate')
    expect(`${status} ${challenge}`, path).to.match(/^401 Bearer\b/)
  }
}

/** Goes to the authorization endpoint as a browser does, and to where it leads. */
export async function signInPage(base: string, issuer: string): Promise<Response> {
  const query = new URLSearchParams({
    client_id: 'console',
    response_type: 'code',
    redirect_uri: 'https://console.example.com/callback',
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  const sent = await fetch(`${issuer}/auth?${query}`, { redirect: 'manual' })
  const cookie = sent.headers.getSetCookie().map((value) => value.split(';', 1)[0])
  const page = new URL(sent.headers.get('location') ?? '', base)
  return fetch(page, { headers: { cookie: cookie.join('; '), accept: 'text/html' } })
}
