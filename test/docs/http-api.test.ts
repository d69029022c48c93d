import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { ClientMetadata } from 'oidc-provider'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { machine } from '../support/clients.ts'
import { deploy } from '../support/deployment.ts'
import { newFolder } from '../support/folder.ts'
import { managing } from '../support/managing.ts'
import { signIn } from '../support/sign-in.ts'
import { snippetsOf } from './documents.ts'

const DOCUMENT = new URL('../../docs/http-api.md', import.meta.url)

// openapi.test.ts has the tables of errors, http-api-commands.test.ts the commands.
describe('docs/http-api.md', () => {
  it('says what introspection answers of an opaque token, and asks by Python; after the end, for nobody', async () => {
    const document = await readFile(DOCUMENT, 'utf8')
    const [, block = ''] =
      /^### An opaque access token$.*?^```json\n(.*?)^```$/ms.exec(document) ?? []
    const [, code = ''] = /^```python\n(.*?)^```$/ms.exec(document) ?? []
    await using deployment = await managing()
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const { id, subjectToken } = await deployment.start()
    const resource = `${deployment.base}/opaque`
    const form = { subject_token: subjectToken, actor_token, resource }
    const { access_token: token } = (await deployment.exchange(form)).body
    const introspect = async () =>
      (await deployment.post('/oidc/token/introspection', { client_id: 'console', token })).body
    const body = await introspect()
    expect(Object.keys(body)).to.have.members(Object.keys(JSON.parse(block)))
    expect(body).to.include({ active: true, sub: 'alice', aud: resource, impersonation_id: id })
    expect(body.act).to.deep.equal({ sub: 'olivia' })

    const folder = newFolder()
    await writeFile(join(folder, 'introspect.py'), code)
    const ask = async (audience: string) => {
      const program =
        'import json, sys; from introspect import introspect; print(json.dumps(introspect(*sys.argv[1:])))'
      const args = ['-c', program, deployment.issuer, 'web', 'web-secret', token, audience]
      const { stdout } = await promisify(execFile)('python3', args, { cwd: folder })
      return JSON.parse(stdout)
    }
    expect(await ask(resource)).to.include({ active: true, sub: 'alice', impersonation_id: id })
    expect(await ask('https://another.example.com')).to.equal(null)
    await deployment.send(`/${id}/end`)
    expect([await introspect(), await ask(resource)]).to.deep.equal([{ active: false }, null])
  })

  it('has code that issues in the process of the provider', async () => {
    await using snippets = await snippetsOf('http-api.md')
    const heading = 'From the process of the provider'
    const { issueForTicket } = await snippets.load(heading)
    const clients: ClientMetadata[] = [
      { ...machine, client_id: 'support-backend', client_secret: 'backend-secret' },
      {
        client_id: 'support-tool',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['https://tool.example.com/'],
        grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
      },
    ]
    await using deployment = await deploy({
      clients,
      impersonation: { managementApi: { clients: ['support-backend'] } },
    })
    const { provider } = deployment
    const issue = issueForTicket as (...given: unknown[]) => Promise<{ id: string }>
    const { id } = await issue(provider, undefined, 'alice', 'olivia')
    const { mayAct } = (await provider.impersonation.get(id)) ?? {}
    expect(mayAct).to.deep.equal({ sub: 'olivia', clientId: 'support-tool' })
  })
})
