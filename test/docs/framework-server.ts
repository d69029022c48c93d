import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Program } from '../support/program.ts'

/** The lines that `try.mjs` prints, as the document says it. */
export const TRIED_OUT = `401 without a machine-to-machine token
201 subject token
200 access token: alice at https://orders.example.com
`

/** Runs `try.mjs`, which stands beside a server, against it. Returns what it prints. */
export async function tryOut(file: string, { base }: Program): Promise<string> {
  const env = { PATH: process.env.PATH, PORT: new URL(base).port }
  const options = { cwd: dirname(file), env }
  return (await promisify(execFile)(process.execPath, ['try.mjs'], options)).stdout
}

/** Whatever the framework: it issues and exchanges, and a browser can sign in below the mount. */
export async function expectWhole(file: string, server: Program): Promise<void> {
  const { base } = server
  expect(await tryOut(file, server)).to.equal(TRIED_OUT)
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
