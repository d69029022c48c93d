import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { snippetsOf } from '../docs/documents.ts'
import { expectWhole } from '../docs/framework-server.ts'
import { basic, expectAnswer } from '../support/http.ts'
import { launch } from '../support/program.ts'
import { issue, token } from '../support/serving.ts'

for (const version of [11, 12]) {
  it(`nest.mjs of docs/frameworks.md, with NestJS ${version}, answers malformed JSON before its parsers`, async () => {
    await using snippets = await snippetsOf('frameworks.md', 'js')
    const folder = join(snippets.folder, 'src')
    const installed = join(import.meta.dirname, `nest-${version}/node_modules`)
    await symlink(installed, join(folder, 'node_modules'))
    const file = join(folder, 'nest.mjs')
    await using server = await launch(file)
    await expectWhole(file, server)
    const { base } = server
    const resource = `${base}/api`
    const form = { grant_type: 'client_credentials', resource, scope: 'impersonate' }
    const machine = await token(`${base}/oidc`, form, basic('backend', 'backend-secret'))
    const headers = { authorization: `Bearer ${machine.body.access_token}` }
    const malformed = issue(base, `${base}/oidc`, '{"userId":', headers)
    await expectAnswer(malformed, 400, 'invalid_request')
  })
}
