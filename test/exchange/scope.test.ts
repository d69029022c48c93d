import { expect } from 'chai'
import { type Deployment, deploy } from '../support/deployment.ts'

const BOTH_STAGES = ['issue', 'exchange']

describe('the scope of an exchange', () => {
  let deployment: Deployment
  let limit = true as { scope: string } | true
  const asked: string[] = []
  before(async () => {
    deployment = await deploy({
      impersonation: {
        authorize: ({ stage }) => {
          asked.push(stage)
          return stage === 'exchange' ? limit : true
        },
      },
    })
  })
  after(() => deployment.close())

  const nothingLeft: Array<[what: string, body: object, scope: string, rule: typeof limit]> = [
    ['the resource knows none of it', {}, 'admin', true],
    ['the binding allows none of it', { scope: 'orders:read' }, 'orders:write', true],
    ['authorize allows none of it', {}, 'orders:read', { scope: '' }],
  ]
  for (const [why, binding, scope, rule] of nothingLeft) {
    it(`400 invalid_scope where nothing is left: ${why}; the token stays usable`, async () => {
      asked.length = 0
      const { body } = await deployment.issue({ userId: 'alice', ...binding })
      const subject_token = body.subjectToken
      limit = rule
      const refused = await deployment.exchange({ subject_token, scope })
      limit = true
      // I2: authorize is not asked about nothing.
      expect(asked).to.deep.equal(why.startsWith('authorize') ? BOTH_STAGES : ['issue'])
      expect([refused.status, refused.body]).to.deep.equal([
        400,
        {
          error: 'invalid_scope',
          error_description: 'none of the requested scopes can be granted',
          scope,
        },
      ])
      expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    })
  }

  it('200 with what is left where some of it is', async () => {
    const subject_token = await deployment.subjectToken()
    const { body } = await deployment.exchange({ subject_token, scope: 'admin orders:read' })
    expect(body.scope).to.equal('orders:read')
  })
})
