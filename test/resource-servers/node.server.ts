import { readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { freePort } from '../adapters/servers.ts'
import { type Snippets, snippetsOf } from '../docs/documents.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { type Keys, keysOverHttps } from './jwks.ts'
import { type Running, run } from './process.ts'
import { keepsItsPromises } from './promises.ts'
import { type Tokens, tokensOf } from './tokens.ts'

const SERVERS = ['express-oauth2-jwt-bearer', 'fastify-jwt', 'hono-jwk', 'aws-jwt-verify']

describe('docs/resource-servers.md without the guard, on Node', () => {
  let snippets: Snippets
  let deployment: Deployment
  let keys: Keys
  let tokens: Tokens

  before(async () => {
    snippets = await snippetsOf('resource-servers.md', 'js')
    const folder = join(snippets.folder, 'src')
    await symlink(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'))
    deployment = await deploy()
    keys = await keysOverHttps(deployment.issuer, snippets.folder)
    tokens = await tokensOf(deployment)
  })
  after(async () => {
    await keys?.[Symbol.asyncDispose]()
    await deployment?.close()
    await snippets?.[Symbol.asyncDispose]()
  })

  it('are all run below, or with the status check', async () => {
    const files = await readdir(join(snippets.folder, 'src'))
    expect(files.filter((file) => file.endsWith('.mjs'))).to.have.members(
      // jose.mjs, with the status check, is in with-status.server.ts.
      ['jose', ...SERVERS].map((name) => `${name}.mjs`),
    )
  })

  for (const name of SERVERS) {
    describe(`${name}.mjs`, () => {
      let server: Running

      before(async () => {
        const file = join(snippets.folder, 'src', `${name}.mjs`)
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
