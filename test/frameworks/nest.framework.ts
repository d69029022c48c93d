import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Snippets, snippetsOf } from '../docs/documents.ts'
import { token } from '../docs/framework-requests.ts'
import {
  expectMounted,
  expectSignIn,
  type FrameworkServer,
  launch,
  TRIED_OUT,
} from '../docs/framework-server.ts'
import { answerOf, basic } from '../support/http.ts'

for (const version of [11, 12]) {
  describe(`nest.mjs of docs/frameworks.md, with NestJS ${version}`, () => {
    let snippets: Snippets
    let server: FrameworkServer

    before(async () => {
      snippets = await snippetsOf('frameworks.md', 'js')
      const folder = join(snippets.folder, 'src')
      const installed = join(import.meta.dirname, `nest-${version}/node_modules`)
      await symlink(installed, join(folder, 'node_modules'))
      server = await launch(join(folder, 'nest.mjs'))
    })
    after(async () => {
      await server?.[Symbol.asyncDispose]()
      await snippets?.[Symbol.asyncDispose]()
    })

    it('issues and exchanges a token, and answers 401 without one', async () => {
      expect(await server.tryOut()).to.equal(TRIED_OUT)
    })

    it('has a provider that knows where it is mounted', () => expectMounted(server))

    it('lets a browser sign in', () => expectSignIn(server))

    it("has NestJS's body parsers after the management API, which answers malformed JSON itself", async () => {
      const { base } = server
      const resource = `${base}/api`
      const form = { grant_type: 'client_credentials', resource, scope: 'impersonate' }
      const machine = await token(`${base}/oidc`, form, basic('backend', 'backend-secret'))
      const response = await fetch(`${base}/api/subject-tokens`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${machine.body.access_token}`,
          'content-type': 'application/json',
        },
        body: '{"userId":',
      })
      const { status, body } = await answerOf(response)
      expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
    })
  })
}
