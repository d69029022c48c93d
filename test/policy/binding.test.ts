import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { type Deployment, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'

const REFUSED = { error: 'invalid_request', error_description: 'subject token is invalid' }

describe('a subject token bound at issue', () => {
  let deployment: Deployment
  let olivia: string
  let bob: string
  before(async () => {
    deployment = await deploy({
      configuration: { ttl: { SubjectToken: 300 } },
      resources: { 'https://other.example': { scope: 'read', accessTokenFormat: 'jwt' } },
    })
    olivia = (await signIn(deployment, 'olivia')).access_token
    bob = (await signIn(deployment, 'bob')).access_token
  })
  after(() => deployment.close())

  async function bound(members: object): Promise<string> {
    const { status, body } = await deployment.issue({ userId: 'alice', ...members })
    expect(status, JSON.stringify(body)).to.equal(201)
    return body.subjectToken
  }

  it('mayAct.sub: only with an actor token of that operator, and leaving it out is no way round', async () => {
    const subject_token = await bound({ mayAct: { sub: 'olivia' } })
    for (const actor_token of [undefined, bob]) {
      const { status, body } = await deployment.exchange({ subject_token, actor_token })
      expect([status, body]).to.deep.equal([400, REFUSED])
    }
    const { status, body } = await deployment.exchange({ subject_token, actor_token: olivia })
    expect(status).to.equal(200)
    expect(decodeJwt(body.access_token).act).to.deep.equal({ sub: 'olivia' })
  })

  it('mayAct.clientId: only through that client', async () => {
    const subject_token = await bound({ mayAct: { clientId: 'web' } })
    const foreign = await deployment.exchange({ subject_token })
    expect([foreign.status, foreign.body]).to.deep.equal([400, REFUSED])
    const authorization = `Basic ${btoa('web:web-secret')}`
    expect((await deployment.exchange({ subject_token }, { authorization })).status).to.equal(200)
  })

  it('both: each of them counts', async () => {
    const subject_token = await bound({ mayAct: { sub: 'olivia', clientId: 'console' } })
    const authorization = `Basic ${btoa('web:web-secret')}`
    const wrongClient = { subject_token, actor_token: olivia }
    expect((await deployment.exchange(wrongClient, { authorization })).status).to.equal(400)
    expect((await deployment.exchange({ subject_token })).status).to.equal(400)
    expect((await deployment.exchange(wrongClient)).status).to.equal(200)
  })

  it('resource: one, or one of a list', async () => {
    for (const resource of [deployment.orders, ['https://x.example', deployment.orders]]) {
      const subject_token = await bound({ resource })
      const form = { subject_token, resource: 'https://other.example', scope: 'read' }
      const { status, body } = await deployment.exchange(form)
      expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
      expect(body.error_description).to.match(/resource/)
      expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    }
  })

  it('scope: the most that is granted, whatever is asked for', async () => {
    const subject_token = await bound({ scope: 'orders:read' })
    const form = { subject_token, scope: 'orders:write orders:read openid' }
    expect((await deployment.exchange(form)).body.scope).to.equal('orders:read')
    const other = await bound({ scope: 'orders:read' })
    const { status, body } = await deployment.exchange({
      subject_token: other,
      scope: 'orders:write',
    })
    expect([status, body.error]).to.deep.equal([400, 'invalid_scope'])
    expect((await deployment.exchange({ subject_token: other })).status).to.equal(200)
  })

  it('expiresIn: shorter, never longer', async () => {
    const { body } = await deployment.issue({ userId: 'alice', expiresIn: 20 })
    expect(body.expiresIn).to.equal(20)
    const real = Date.now
    Date.now = () => real() + 20_000
    try {
      const { status } = await deployment.exchange({ subject_token: body.subjectToken })
      expect(status).to.equal(400)
    } finally {
      Date.now = real
    }
    const longer = await deployment.issue({ userId: 'alice', expiresIn: 301 })
    expect([longer.status, longer.body.error_description]).to.deep.equal([
      400,
      'expiresIn must be at most 300 seconds',
    ])
  })

  it('managementApi.requireBinding: 400 that names the member', async () => {
    const requireBinding = ['expiresIn'] as const
    const resource = 'https://id.example.com/api'
    await using strict = await deploy({
      impersonation: { managementApi: { resource, requireBinding } },
    })
    const token = await strict.m2mToken({ resource })
    const { status, body } = await strict.issue({ userId: 'alice' }, { token })
    expect([status, body]).to.deep.equal([
      400,
      { error: 'invalid_request', error_description: 'expiresIn is required' },
    ])
  })
})
