import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { decodeProtectedHeader } from 'jose'
import { freePort } from '../adapters/servers.ts'
import { skip } from '../support/skipping.ts'
import { type Keys, keysOverHttps } from './jwks.ts'
import { isInstalled, LANGUAGES } from './languages.ts'
import { NODE_SERVERS } from './node-servers.ts'
import { type Running, run } from './process.ts'
import { AUDIENCE, type ReadmeProvider, readmeProvider } from './readme.ts'
import { copyServer } from './servers.ts'

const WITH_STATUS = LANGUAGES.map((language) => ({
  ...language,
  looksAtStatus: true,
  isHere: () => isInstalled(language),
}))
const WITHOUT_STATUS = NODE_SERVERS.map((name) => ({
  file: `${name}.mjs`,
  needs: 'Node',
  looksAtStatus: false,
  isHere: async () => true,
  command: (file: string): [string, ...string[]] => [process.execPath, file],
}))

describe("examples/resource-servers, at the README's server.mjs", () => {
  let folder: string
  let provider: ReadmeProvider
  let keys: Keys
  let own: string
  let named: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'impersonation-readme-servers-'))
    await symlink(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'))
    provider = await readmeProvider()
    keys = await keysOverHttps(provider.issuer, folder)
    own = await provider.signIn('alice', AUDIENCE)
    named = await provider.exchange(await provider.signIn('olivia'))
  })
  after(async () => {
    await keys?.[Symbol.asyncDispose]()
    await provider?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  it('has tokens that are signed as oidc-provider signs by default', () => {
    expect([own, named].map((token) => decodeProtectedHeader(token).alg)).to.deep.equal([
      'RS256',
      'RS256',
    ])
  })

  for (const { file, needs, looksAtStatus, isHere, command } of [
    ...WITH_STATUS,
    ...WITHOUT_STATUS,
  ]) {
    describe(file, () => {
      let server: Running
      const status = async (token: string) => (await server.ask('GET', '/orders', token)).status

      before(async function () {
        if (!(await isHere())) skip(this, `no ${needs}`)
        server = await run(await command(await copyServer(file, folder)), await freePort(), {
          ISSUER: provider.issuer,
          AUDIENCE,
          NODE_ENV: 'production',
          ...(file === 'aws-jwt-verify.mjs'
            ? { JWKS_URI: keys.uri, NODE_EXTRA_CA_CERTS: keys.certificate }
            : {}),
        })
      })
      after(() => server?.[Symbol.asyncDispose]())

      it('answers the user, who may change the email, and an operator, who may not', async () => {
        const orders = await server.ask('GET', '/orders', own)
        expect([orders.status, await orders.json()]).to.deep.equal([200, { ordersOf: 'alice' }])
        expect((await server.ask('PUT', '/email', own)).status).to.equal(204)
        const seen = await server.ask('GET', '/orders', named)
        const body = { ordersOf: 'alice', seenBy: 'olivia' }
        expect([seen.status, await seen.json()]).to.deep.equal([200, body])
        expect((await server.ask('PUT', '/email', named)).status).to.equal(403)
      })

      if (looksAtStatus) {
        it('refuses an operator whose impersonation has ended', async () => {
          const token = await provider.exchange()
          expect(await status(token)).to.equal(200)
          await provider.end(token)
          while ((await status(token)) === 200) await wait(100)
          expect(await status(token)).to.equal(401)
          expect(await status(named)).to.equal(200)
        })
      }

      it('serves the user while the provider hangs', async () => {
        expect(await status(own)).to.equal(200)
        provider.hang()
        try {
          const answers = await Promise.all(Array.from({ length: 20 }, () => status(own)))
          expect(answers).to.deep.equal(answers.map(() => 200))
        } finally {
          provider.goOn()
        }
      })
    })
  }
})
