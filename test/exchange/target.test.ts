import { expect } from 'chai'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { Verdict } from '../../src/index.ts'
import { deploy, type Form } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { shared } from '../support/shared.ts'
import { signIn } from '../support/sign-in.ts'

const [A, B, UNSAID] = ['https://a.example', 'https://b.example', 'https://unsaid.example']

describe('the target of an exchange', () => {
  let defaults: string | string[] | undefined
  let limit: Verdict = true
  const asked: string[] = []
  const deployment = shared(() =>
    deploy({
      resources: {
        [A]: { scope: 'read', accessTokenFormat: 'opaque' },
        [B]: { scope: 'read', audience: 'logical', accessTokenFormat: 'jwt' },
        [UNSAID]: { scope: 'read openid' },
      },
      configuration: { features: { resourceIndicators: { defaultResource: () => defaults } } },
      impersonation: {
        authorize: ({ stage }) => {
          asked.push(stage)
          return stage === 'exchange' ? limit : true
        },
      },
    }),
  )

  const nothingLeft: Array<[what: string, body: object, scope: string, rule: Verdict]> = [
    ['the resource knows none of it', {}, 'admin', true],
    ['the binding allows none of it', { scope: 'orders:read' }, 'orders:write', true],
    ['authorize allows none of it', {}, 'orders:read', { scope: '' }],
  ]
  for (const [why, binding, scope, rule] of nothingLeft) {
    it(`400 invalid_scope where nothing is left: ${why}; the token stays usable`, async () => {
      const subject_token = await deployment.subjectToken(binding)
      limit = rule
      asked.length = 0
      await expectAnswer(deployment.exchange({ subject_token, scope }), 400, {
        error: 'invalid_scope',
        error_description: 'none of the requested scopes can be granted',
        scope,
      })
      limit = true
      // authorize is not asked about nothing.
      expect(asked).to.deep.equal(rule === true ? [] : ['exchange'])
      await deployment.redeem(subject_token)
    })
  }

  it('is a JWT where the resource server says nothing of a format, though the provider’s own grants get opaque tokens as before', async () => {
    const { body } = await deployment.exchange({ resource: UNSAID, scope: 'read' })
    expect(decodeProtectedHeader(body.access_token).typ).to.equal('at+jwt')
    expect(decodeJwt(body.access_token).jti).to.match(/^impersonation:/)
    const own = await signIn(deployment, 'olivia', { resource: UNSAID, scope: 'openid read' })
    expect(own.access_token).to.not.include('.')
  })

  it('is opaque where the resource server says so', async () => {
    const { body } = await deployment.exchange({ resource: A, scope: 'read' })
    expect(body.access_token).to.not.include('.')
  })

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
      await expectAnswer(
        deployment.exchange({ subject_token, ...form }),
        400,
        'invalid_target',
        what,
      )
    }
    await deployment.redeem(subject_token)
  })

  it('takes the default resource where the deployment has one', async () => {
    defaults = A
    const subject_token = await deployment.subjectToken()
    const form = { subject_token, resource: undefined, scope: 'read' }
    const { body } = await expectAnswer(deployment.exchange(form), 200)
    expect(body.scope).to.equal('read')
  })
})
