import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { decodeJwt } from 'jose'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { freePort } from '../adapters/servers.ts'
import { basic } from '../support/http.ts'

const ROOT = join(import.meta.dirname, '../..')
const REDIRECT_URI = 'https://console.example.com/callback'
const VERIFIER = 'a-verifier-that-is-long-enough-for-pkce-0123456789'
export const AUDIENCE = 'https://shop.example.com/orders'

/** The `server.mjs` of README.md, as it stands, in a process of its own. */
export interface ReadmeProvider extends AsyncDisposable {
  readonly issuer: string
  /** An access token of a person who has signed in on the pages. */
  signIn(accountId: string, resource?: string): Promise<string>
  /** An access token to act as alice. */
  exchange(actorToken?: string): Promise<string>
  /** Ends the impersonation of an access token, with the token itself. */
  end(accessToken: string): Promise<void>
  /** Takes connections and answers nothing, until it goes on. */
  hang(): void
  goOn(): void
}

/** What the commands of the README say. */
const CONTEXT = { ticketId: 'SUP-123', reason: 'Order lost in the post' }

export async function readmeProvider(): Promise<ReadmeProvider> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
  const [, code] = /^`server\.mjs`:\n\n```js\n(.*?)^```$/ms.exec(readme) ?? []
  if (code === undefined) throw new Error('README.md has no server.mjs')
  const folder = await mkdtemp(join(tmpdir(), 'impersonation-readme-'))
  await writeFile(join(folder, 'server.mjs'), code)
  for (const name of ['node_modules', 'src', 'package.json']) {
    await symlink(join(ROOT, name), join(folder, name))
  }
  const port = await freePort()
  const base = `http://localhost:${port}`
  const child = spawn(
    process.execPath,
    ['--conditions=oidc-provider-impersonation', join(folder, 'server.mjs')],
    {
      env: { PATH: process.env.PATH, PORT: String(port), BASE_URL: base },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  await answering(child, base)
  const issuer = `${base}/oidc`

  async function token(form: Record<string, string>, headers = {}): Promise<string> {
    const body = new URLSearchParams(form)
    const response = await fetch(`${issuer}/token`, { method: 'POST', body, headers })
    const { access_token: accessToken, ...rest }: { access_token?: string } = JSON.parse(
      await response.text(),
    )
    if (!accessToken) throw new Error(`no access token: ${JSON.stringify(rest)}`)
    return accessToken
  }

  return {
    issuer,
    signIn: async (accountId, resource) =>
      token({
        grant_type: 'authorization_code',
        client_id: 'console',
        code: await codeOf(issuer, accountId, resource),
        redirect_uri: REDIRECT_URI,
        code_verifier: VERIFIER,
        ...(resource && { resource }),
      }),
    async exchange(actorToken) {
      const resource = `${base}/api`
      const machine = await token(
        { grant_type: 'client_credentials', scope: 'impersonate', resource },
        basic('backend', 'backend-secret'),
      )
      const issued = await fetch(`${base}/api/subject-tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${machine}`, 'content-type': 'application/json' },
        body: JSON.stringify({ userId: 'alice', context: CONTEXT }),
      })
      const { subjectToken }: { subjectToken: string } = JSON.parse(await issued.text())
      return await token({
        client_id: 'console',
        grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
        subject_token: subjectToken,
        subject_token_type: ACCESS_TOKEN_TYPE,
        ...(actorToken && { actor_token: actorToken, actor_token_type: ACCESS_TOKEN_TYPE }),
        resource: AUDIENCE,
        scope: 'orders:read',
      })
    },
    async end(accessToken) {
      const discovered = await fetch(`${issuer}/.well-known/openid-configuration`)
      const { impersonation_end_endpoint: url }: { impersonation_end_endpoint: string } =
        JSON.parse(await discovered.text())
      const headers = { authorization: `Bearer ${accessToken}` }
      const { status } = await fetch(url, { method: 'POST', headers })
      if (status !== 204) throw new Error(`${decodeJwt(accessToken).jti} not ended: ${status}`)
    },
    hang: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT')
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      await rm(folder, { recursive: true })
    },
  }
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  let log = ''
  child.stderr?.on('data', (chunk) => {
    log += chunk
  })
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`server.mjs of README.md ended: ${log}`)
    await wait(20)
  }
}

/** Signs in on the pages that oidc-provider has for development, and answers the code. */
async function codeOf(issuer: string, accountId: string, resource?: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(VERIFIER))
  const jar = new Map<string, string>()
  const question = new URLSearchParams({
    client_id: 'console',
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: resource ? 'openid orders:read' : 'openid',
    code_challenge: Buffer.from(digest).toString('base64url'),
    code_challenge_method: 'S256',
    ...(resource && { resource }),
  })
  let url = `${issuer}/auth?${question}`
  let answer: Record<string, string> | undefined
  for (let page = 0; page < 10; page += 1) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ') },
      ...(answer && { method: 'POST', body: new URLSearchParams(answer) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      jar.set(name, value)
    }
    const location = response.headers.get('location')
    answer = undefined
    if (location) {
      url = new URL(location, url).href
      const code = url.startsWith(REDIRECT_URI) && new URL(url).searchParams.get('code')
      if (code) return code
      continue
    }
    const html = await response.text()
    const [, prompt] = /name="prompt" value="(login|consent)"/.exec(html) ?? []
    if (!prompt) throw new Error(`the sign-in stopped: ${response.status} ${html}`)
    const [, action = url] = /<form[^>]* action="([^"]+)"/.exec(html) ?? []
    url = new URL(action, url).href
    answer = prompt === 'login' ? { prompt, login: accountId, password: 'any' } : { prompt }
  }
  throw new Error('the sign-in does not end')
}
