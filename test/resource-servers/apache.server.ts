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
    let start: (lines: readonly string[]) => Promise<Running>

    before(async function () {
      if (![APACHE, moduleFile(module)].every((file) => existsSync(file))) {
        skip(this, `no apache2 and ${debian} of Debian`)
      }
      folder = await mkdtemp(join(tmpdir(), 'impersonation-apache-'))
      const file = await copyServer(`${name}.conf`, folder)
      deployment = await deploy()
      tokens = await tokensOf(deployment)
      keys = await keysOverHttps(deployment.issuer, folder)
      const port = await freePort()
      backend = backendFor(header).listen(port)
      const { issuer: ISSUER, orders: AUDIENCE } = deployment
      // mod_oauth2 has no option for a certificate that is made for a test.
      const isSecure = module === 'auth_openidc'
      const JWKS_URI = isSecure ? keys.uri : `${ISSUER}/jwks`
      const trust = isSecure ? [`OIDCCABundlePath ${keys.certificate}`] : []
      const defines = { ISSUER, AUDIENCE, JWKS_URI }
      start = (lines) =>
        runApache(folder, module, `http://localhost:${port}`, defines, [...trust, ...lines])
      server = await start([`Include ${file}`])
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

    if (module === 'oauth2') {
      it('is needed: `Require not` with a regular expression lets operators in', async () => {
        await using open = await start([
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
