import { expect } from 'chai'
import { type Deployment, deploy, type Form } from '../support/deployment.ts'

const [A, B] = ['https://a.example', 'https://b.example']

describe('the target of an exchange', () => {
  let deployment: Deployment
  let defaults: string | string[] | undefined
  before(async () => {
    deployment = await deploy({
      resources: {
        [A]: { scope: 'read', accessTokenFormat: 'opaque' },
        [B]: { scope: 'read', audience: 'logical', accessTokenFormat: 'jwt' },
      },
      configuration: { features: { resourceIndicators: { defaultResource: () => defaults } } },
    })
  })
  after(() => deployment.close())

  it('400 invalid_target, and the subject token stays usable', async () => {
    const subject_token = await deployment.subjectToken()
    const { orders, management } = deployment
    const refused: Array<[what: string, form: Form, defaults?: string[]]> = [
      ['resource missing', { resource: undefined }],
      ['resource missing, audience given', { resource: undefined, audience: B }],
      ['resource refused', { resource: 'https://unknown.example' }],
      ['audience naming another target', { audience: 'https://other.example' }],
      ['two audiences', { audience: [A, B] }],
      ['two resources', { resource: [orders, B] }],
      ['the same resource twice', { resource: [orders, orders] }],
      ['the management API: it is for machines', { resource: management, scope: 'impersonate' }],
      ['a default of several resources', { resource: undefined }, [A, B]],
    ]
    for (const [what, form, several] of refused) {
      defaults = several
      const { status, body } = await deployment.exchange({ subject_token, ...form })
      expect([status, body.error], what).to.deep.equal([400, 'invalid_target'])
    }
    expect((await deployment.exchange({ subject_token })).status).to.equal(200)
  })

  it('takes the default resource where the deployment has one', async () => {
    defaults = A
    const subject_token = await deployment.subjectToken()
    const form = { subject_token, resource: undefined, scope: 'read' }
    const { status, body } = await deployment.exchange(form)
    expect([status, body.scope]).to.deep.equal([200, 'read'])
  })
})
