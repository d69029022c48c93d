import { expect } from 'chai'
import { type Answer, type Deployment, deploy, type Form } from '../support/deployment.ts'

describe('the target of an exchange', () => {
  let deployment: Deployment
  before(async () => {
    deployment = await deploy({
      resources: {
        'https://audience.example': {
          scope: 'read',
          audience: 'logical',
          accessTokenFormat: 'jwt',
        },
      },
    })
  })
  after(() => deployment.close())

  async function exchange(form: Form): Promise<Answer> {
    return deployment.exchange({ subject_token: await deployment.subjectToken(), ...form })
  }

  describe('400 invalid_target', () => {
    const cases: Array<[what: string, form: Form]> = [
      ['resource missing', { resource: undefined }],
      ['resource missing, audience given', { resource: undefined, audience: 'https://x.example' }],
      ['resource not absolute', { resource: '/orders' }],
      ['resource with a fragment', { resource: 'https://x.example/orders#a' }],
      ['resource refused', { resource: 'https://unknown.example' }],
      ['audience naming another target', { audience: 'https://other.example' }],
      ['two audiences', { audience: ['https://a.example', 'https://b.example'] }],
    ]
    for (const [what, form] of cases) {
      it(what, async () => {
        const subject_token = await deployment.subjectToken()
        const { status, body } = await deployment.exchange({ subject_token, ...form })
        expect(status).to.equal(400)
        expect(body.error).to.equal('invalid_target')
        expect((await deployment.exchange({ subject_token })).status).to.equal(200)
      })
    }
    it('two resources, and the same one twice', async () => {
      for (const other of ['https://audience.example', deployment.orders]) {
        const { status, body } = await exchange({ resource: [deployment.orders, other] })
        expect(status).to.equal(400)
        expect(body.error).to.equal('invalid_target')
      }
    })
    it('the management API: it is for machines', async () => {
      const { status, body } = await exchange({
        resource: deployment.management,
        scope: 'impersonate',
      })
      expect(status).to.equal(400)
      expect(body.error).to.equal('invalid_target')
    })
  })

  it('takes the default resource where the deployment has one', async () => {
    const resource = 'https://default.example'
    await using other = await deploy({
      resources: { [resource]: { scope: 'read', accessTokenFormat: 'opaque' } },
      configuration: { features: { resourceIndicators: { defaultResource: () => resource } } },
    })
    const subject_token = await other.subjectToken()
    const { status, body } = await other.exchange({
      subject_token,
      resource: undefined,
      scope: 'read',
    })
    expect(status).to.equal(200)
    expect(body.scope).to.equal('read')
  })

  it('a default of several resources is 400 invalid_target', async () => {
    await using other = await deploy({
      configuration: {
        features: {
          resourceIndicators: { defaultResource: () => ['https://a.example', 'https://b.example'] },
        },
      },
      resources: { 'https://a.example': { scope: 'a' }, 'https://b.example': { scope: 'b' } },
    })
    const subject_token = await other.subjectToken()
    const { status, body } = await other.exchange({ subject_token, resource: undefined })
    expect(status).to.equal(400)
    expect(body.error).to.equal('invalid_target')
  })
})
