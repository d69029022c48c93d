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

  const wrong: Array<[member: string, value: unknown]> = [
    ['mayAct', 'olivia'],
    ['mayAct', {}],
    ['mayAct', []],
    ['mayAct', { sub: 'olivia', role: 'support' }],
    ['mayAct.sub', { sub: '' }],
    ['mayAct.sub', { sub: 7 }],
    ['mayAct.sub', { sub: 'a\u0000' }],
    ['mayAct.clientId', { clientId: 'x'.repeat(256) }],
    ['resource', ''],
    ['resource', '/orders'],
    ['resource', 'https://x.example/#a'],
    ['resource', []],
    ['resource', [7]],
    ['resource', Array(17).fill('https://x.example')],
    ['resource', uriOf(2049)],
    ['resource', ['https://x.example', uriOf(2049)]],
    ['scope', ''],
    ['scope', ' a'],
    ['scope', 'a  b'],
    ['scope', 'a"b'],
    ['scope', ['a']],
    ['scope', 'x'.repeat(1025)],
    ['expiresIn', 0],
    ['expiresIn', -1],
    ['expiresIn', 1.5],
    ['expiresIn', '60'],
    ['expiresIn', null],
  ]
  for (const [member, value] of wrong) {
    it(`refuses ${member} = ${JSON.stringify(value).slice(0, 50)} by name`, async () => {
      const [name = ''] = member.split('.')
      const { status, body } = await deployment.issue({ userId: 'alice', [name]: value })
      expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
      expect(body.error_description).to.include(member)
    })
  }

  const longest: Array<[member: string, value: unknown]> = [
    ['mayAct', { sub: 'x'.repeat(255), clientId: 'x'.repeat(255) }],
    ['resource', uriOf(2048)],
    ['resource', Array(16).fill('https://x.example')],
    ['scope', 'x'.repeat(1024)],
    ['expiresIn', 300],
    ['expiresIn', 1],
  ]
  for (const [member, value] of longest) {
    it(`takes ${member} = ${JSON.stringify(value).slice(0, 50)}, which is just within bounds`, () =>
      bound({ [member]: value }))
  }

  it('managementApi.requireBinding insists on each member that it lists, by name', async () => {
    const resource = 'https://id.example.com/api'
    const members = {
      mayAct: { sub: 'olivia' },
      resource: 'https://x.example',
      scope: 'orders:read',
      expiresIn: 9,
    }
    const requireBinding = ['mayAct', 'resource', 'scope', 'expiresIn'] as const
    await using strict = await deploy({
      impersonation: { managementApi: { resource, requireBinding } },
    })
    const token = await strict.m2mToken({ resource })
    for (const member of requireBinding) {
      const { [member]: _, ...others } = members
      const { status, body } = await strict.issue({ userId: 'alice', ...others }, { token })
      expect([status, body.error, body.error_description]).to.deep.equal([
        400,
        'invalid_request',
        `${member} is required`,
      ])
    }
    expect((await strict.issue({ userId: 'alice', ...members }, { token })).status).to.equal(201)
  })
})

/** A URI of that many characters. */
function uriOf(length: number): string {
  return 'https://x.example/'.padEnd(length, 'x')
}
