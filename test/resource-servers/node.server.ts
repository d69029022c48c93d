import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { freePort } from '../adapters/servers.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { type Keys, keysOverHttps } from './jwks.ts'
import { LANGUAGES } from './languages.ts'
import { NODE_SERVERS } from './node-servers.ts'
import { type Running, run } from './process.ts'
import { keepsItsPromises } from './promises.ts'
import { copyServer, SERVERS as FOLDER } from './servers.ts'
import { type Tokens, tokensOf } from './tokens.ts'

describe('examples/resource-servers, on Node', () => {
  let folder: string
  let deployment: Deployment
  let keys: Keys
  let tokens: Tokens

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'impersonation-servers-'))
    await symlink(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'))
    deployment = await deploy()
    keys = await keysOverHttps(deployment.issuer, folder)
    tokens = await tokensOf(deployment)
  })
  after(async () => {
    await keys?.[Symbol.asyncDispose]()
    await deployment?.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('are all run below, or with the status check, or with Apache, and linked from docs/other-languages.md', async () => {
    const files = await readdir(FOLDER)
    expect(files).to.have.members([
      ...NODE_SERVERS.map((name) => `${name}.mjs`),
      // with-status.server.ts
      ...LANGUAGES.map(({ file }) => file),
      // apache.server.ts
      ...['mod_auth_openidc.conf', 'mod_oauth2.conf'],
    ])
    const page = await readFile(join(FOLDER, '../../docs/other-languages.md'), 'utf8')
    for (const file of files) expect(page).to.include(`(../examples/resource-servers/${file})`)
  })

  for (const name of NODE_SERVERS) {
    describe(`${name}.mjs`, () => {
      let server: Running

      before(async () => {
        const file = await copyServer(`${name}.mjs`, folder)
        server = await run([process.execPath, file], await freePort(), {
          ISSUER: deployment.issuer,
          AUDIENCE: deployment.orders,
          NODE_ENV: 'production',
          ...(name === 'aws-jwt-verify'
            ? { JWKS_URI: keys.uri, NODE_EXTRA_CA_CERTS: keys.certificate }
            : {}),
        })
      })
      after(() => server?.[Symbol.asyncDispose]())

      keepsItsPromises(
        () => server,
        () => tokens,
      )
    })
  }
})
