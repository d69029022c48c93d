import { expect } from 'chai'
import Koa from 'koa'
import mount from 'koa-mount'
import { type Deployment, deploy } from '../support/deployment.ts'
import { athOf, type DPoPKey, dpopKey } from '../support/dpop.ts'

const BASIC = { authorization: `Basic ${btoa('backend:backend-secret')}` }

describe('I10: DPoP at the management API', () => {
  let deployment: Deployment
  let key: DPoPKey
  let token: string
  before(async () => {
    deployment = await deploy({
      configuration: {
        features: { dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 1) } },
      },
    })
    key = await dpopKey()
    token = await boundToken(key)
  })
  after(() => deployment.close())

  async function boundToken(by: DPoPKey): Promise<string> {
    const dpop = await by.proof({ htu: `${deployment.issuer}/token` })
    const { body } = await deployment.post(
      '/oidc/token',
      { grant_type: 'client_credentials', resource: deployment.management, scope: 'impersonate' },
      { ...BASIC, dpop },
    )
    expect(body.token_type).to.equal('DPoP')
    return body.access_token
  }

  it('the URL at the issuer counts, mounts included, and never Host', async () => {
    const app = new Koa()
    app.use(mount('/admin', deployment.provider.impersonation.routes()))
    const server = app.listen(0, '127.0.0.1').unref()
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const send = async (origin: string) =>
      fetch(`${base}/admin/api/subject-tokens`, {
        method: 'POST',
        headers: {
          authorization: `DPoP ${token}`,
          dpop: await key.proof({ htu: `${origin}/admin/api/subject-tokens`, ath: athOf(token) }),
          'content-type': 'application/json',
        },
        body: '{"userId":"alice"}',
      })
    expect((await send(deployment.base)).status).to.equal(201)
    expect((await send(base)).status, 'by its Host').to.equal(401)
    server.close()
    server.closeAllConnections()
  })
})
