import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { freePort } from '../adapters/servers.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { skip } from '../support/skipping.ts'
import { APACHE, backendFor, moduleFile, runApache } from './apache.ts'
import { type Keys, keysOverHttps } from './jwks.ts'
import type { Running } from './process.ts'
import { keepsItsPromises } from './promises.ts'
import { AUDIENCE, readmeProvider } from './readme.ts'
import { copyServer } from './servers.ts'
import { type Tokens, tokensOf } from './tokens.ts'

for (const [name, module, debian, header, denial] of [
  ['mod_auth_openidc', 'auth_openidc', 'libapache2-mod-auth-openidc', 'oidc_claim', 403],
  ['mod_oauth2', 'oauth2', 'libapache2-mod-oauth2', 'oauth2_claim', 401],
] as const) {
  describe(`examples/resource-servers, ${name}.conf`, () => {
    let folder: string
    let deployment: Deployment
    let tokens: Tokens
    let keys: Keys
    let backend: Server
    let server: Running
    let file: string
    let port: number
    const start = (
      { uri, certificate }: Keys,
      ISSUER: string,
      AUDIENCE: string,
      lines: readonly string[],
    ) => {
      // mod_oauth2 has no option for a certificate that is made for a test.
      const isSecure = module === 'auth_openidc'
      const JWKS_URI = isSecure ? uri : `${ISSUER}/jwks`
      const trust = isSecure ? [`OIDCCABundlePath ${certificate}`] : []
      const defines = { ISSUER, AUDIENCE, JWKS_URI }
      return runApache(folder, module, `http://localhost:${port}`, defines, [...trust, ...lines])
    }

    before(async function () {
      if (![APACHE, moduleFile(module)].every((file) => existsSync(file))) {
        skip(this, `no apache2 and ${debian} of Debian`)
      }
      folder = await mkdtemp(join(tmpdir(), 'impersonation-apache-'))
      file = await copyServer(`${name}.conf`, folder)
      deployment = await deploy()
      tokens = await tokensOf(deployment)
      keys = await keysOverHttps(deployment.issuer, folder)
      port = await freePort()
      backend = backendFor(header).listen(port)
      const { issuer, orders } = deployment
      server = await start(keys, issuer, orders, [`Include ${file}`])
    })
    after(async () => {
      await server?.[Symbol.asyncDispose]()
      backend?.closeAllConnections()
      backend?.close()
      await keys?.[Symbol.asyncDispose]()
      await deployment?.close()
      if (folder) await rm(folder, { recursive: true })
    })

    keepsItsPromises(
      () => server,
      () => tokens,
      // Apache refuses by its requirements, and cannot ask for the type of a token.
      { denial, refusals: [401, 403], ignored: ['of another type'] },
    )

    it('knows the caller by the token, and not by a header that the client sends', async () => {
      for (const token of [tokens.named, tokens.nameless]) {
        const spoofed = { [`${header}_jti`]: 'own', [`${header.toUpperCase()}_jti`]: 'own' }
        expect((await server.ask('PUT', '/email', token, spoofed)).status).to.equal(denial)
      }
    })

    it("takes the tokens of the README's server.mjs, also while that hangs", async () => {
      await using readme = await readmeProvider()
      await using published = await keysOverHttps(readme.issuer, folder)
      const [own, named] = [
        await readme.signIn('alice', AUDIENCE),
        await readme.exchange(await readme.signIn('olivia')),
      ]
      await using other = await start(published, readme.issuer, AUDIENCE, [`Include ${file}`])
      expect((await other.ask('PUT', '/email', own)).status).to.equal(204)
      expect((await other.ask('GET', '/orders', named)).status).to.equal(200)
      expect((await other.ask('PUT', '/email', named)).status).to.equal(denial)
      readme.hang()
      expect((await other.ask('PUT', '/email', own)).status).to.equal(204)
    })

    if (module === 'oauth2') {
      it('is needed: `Require not` with a regular expression lets operators in', async () => {
        const { issuer, orders } = deployment
        await using open = await start(keys, issuer, orders, [
          '<Location "/">',
          'AuthType oauth2',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: Apache fills it in
          'OAuth2TokenVerify jwks_uri ${JWKS_URI}',
          '<RequireAll>',
          'Require valid-user',
          'Require not oauth2_claim "jti~^impersonation:"',
          '</RequireAll>',
          '</Location>',
        ])
        expect((await open.ask('PUT', '/email', tokens.named)).status).to.equal(204)
        expect(
          (await open.ask('PUT', '/email', tokens.refused['with a broken signature'])).status,
        ).to.equal(401)
      })
    }
  })
}
