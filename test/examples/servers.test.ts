import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { freePort } from '../adapters/servers.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples')
const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'
const TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/**
 * nest/main.ts is run by the suite frameworks, where NestJS is installed, and minimal.ts is the server of
 * README.md, which test/docs/readme.test.ts runs.
 */
const SERVERS = ['express', 'fastify', 'hono']

/** Starts an example as its reader does, until the end of the scope. */
async function start(name: string): Promise<AsyncDisposable & { readonly base: string }> {
  const port = String(await freePort())
  const base = `http://localhost:${port}`
  const child = spawn(
    process.execPath,
    ['--conditions=oidc-provider-impersonation', join(EXAMPLES, `${name}.ts`)],
    { env: { PATH: process.env.PATH, PORT: port, BASE_URL: base }, stdio: 'pipe' },
  )
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  while (!(await fetch(base).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${log}`)
    await wait(20)
  }
  return {
    base,
    async [Symbol.asyncDispose]() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

describe('examples/', function () {
  this.timeout(60_000)

  for (const name of SERVERS) {
    it(`${name}.ts issues and exchanges a token`, async () => {
      await using server = await start(name)
      const { base } = server
      const token = async (form: Record<string, string>, headers = {}) => {
        const init = { method: 'POST', body: new URLSearchParams(form), headers }
        const answer: unknown = await (await fetch(`${base}/oidc/token`, init)).json()
        return String(Object(answer).access_token)
      }
      const machine = await token(
        { grant_type: 'client_credentials', resource: `${base}/api`, scope: 'impersonate' },
        { authorization: `Basic ${btoa('backend:backend-secret')}` },
      )
      const issued = await fetch(`${base}/api/subject-tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${machine}`, 'content-type': 'application/json' },
        body: JSON.stringify({ userId: 'alice' }),
      })
      expect(issued.status).to.equal(201)
      const { subjectToken }: { subjectToken: string } = Object(await issued.json())
      const impersonated = await token({
        grant_type: GRANT,
        client_id: 'console',
        subject_token: subjectToken,
        subject_token_type: TYPE,
        resource: 'https://orders.example.com',
        scope: 'orders:read',
      })
      expect(decodeJwt(impersonated)).to.include({
        sub: 'alice',
        aud: 'https://orders.example.com',
      })
    })
  }
})
