import { join } from 'node:path'
import { expect } from 'chai'
import { freePort } from '../adapters/servers.ts'
import { snippetsOf } from '../docs/documents.ts'
import { TRIED_OUT, tryOut } from '../docs/framework-server.ts'
import { launch } from '../docs/server-process.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples')

/**
 * nest/main.ts is run by the suite frameworks, where NestJS is installed, and minimal.ts is the server of
 * README.md, which test/docs/readme.test.ts runs.
 */
const SERVERS = ['express', 'fastify', 'hono']

describe('examples/', function () {
  this.timeout(60_000)

  for (const name of SERVERS) {
    it(`${name}.ts issues and exchanges a token`, async () => {
      await using snippets = await snippetsOf('frameworks.md', 'js')
      const PORT = String(await freePort())
      await using server = await launch(join(EXAMPLES, `${name}.ts`), {
        NODE_OPTIONS: '--conditions=oidc-provider-impersonation',
        BASE_URL: `http://localhost:${PORT}`,
        PORT,
      })
      expect(await tryOut(join(snippets.folder, 'src/try.mjs'), server)).to.equal(TRIED_OUT)
    })
  }
})
