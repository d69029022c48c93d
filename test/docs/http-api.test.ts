import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { managing } from '../support/managing.ts'
import { signIn } from '../support/sign-in.ts'

const DOCUMENT = new URL('../../docs/http-api.md', import.meta.url)

// openapi.test.ts has the tables of errors, http-api-commands.test.ts the commands.
describe('docs/http-api.md', () => {
  it('says what introspection answers of an opaque token, while it runs and after its end', async () => {
    const document = await readFile(DOCUMENT, 'utf8')
    const [, block = ''] =
      /^### An opaque access token$.*?^```json\n(.*?)^```$/ms.exec(document) ?? []
    await using deployment = await managing()
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const { id, subjectToken } = await deployment.start()
    const resource = `${deployment.base}/opaque`
    const form = { subject_token: subjectToken, actor_token, resource }
    const { access_token: token } = (await deployment.exchange(form)).body
    const introspect = () =>
      deployment.post('/oidc/token/introspection', { client_id: 'console', token })
    const { body } = await introspect()
    expect(Object.keys(body)).to.have.members(Object.keys(JSON.parse(block)))
    expect(body).to.include({ active: true, sub: 'alice', aud: resource, impersonation_id: id })
    expect(body.act).to.deep.equal({ sub: 'olivia' })
    await deployment.send(`/${id}/end`)
    expect((await introspect()).body).to.deep.equal({ active: false })
  })
})
