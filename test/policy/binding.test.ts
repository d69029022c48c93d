import { expect } from 'chai'
import { later } from '../support/clock.ts'
import { basic, deploy } from '../support/deployment.ts'
import { expectAnswer, REFUSED } from '../support/http.ts'
import { shared } from '../support/shared.ts'

const ELSEWHERE = { resource: 'https://other.example', scope: 'read' }

describe('a subject token bound at issue', () => {
  let olivia: string
  let bob: string
  const deployment = shared(() =>
    deploy({
      configuration: { ttl: { SubjectToken: 300 } },
      resources: { 'https://other.example': { scope: 'read', accessTokenFormat: 'jwt' } },
    }),
  )
  before(async () => {
    olivia = await deployment.actorToken()
    bob = await deployment.actorToken('bob')
  })

  const web = basic('web', 'web-secret')
  it('mayAct: only with an actor token of that operator, and only through that client; each of both counts', async () => {
    const byOlivia = { actor_token: olivia }
    for (const [mayAct, good, ...refused] of [
      [{ sub: 'olivia' }, [byOlivia], [{}], [{ actor_token: bob }]],
      [{ clientId: 'web' }, [{}, web], [{}]],
      [{ sub: 'olivia', clientId: 'console' }, [byOlivia], [byOlivia, web], [{}]],
    ] as const) {
      const subject_token = await deployment.subjectToken({ mayAct })
      for (const [form, headers] of refused) {
        await expectAnswer(deployment.exchange({ subject_token, ...form }, headers), 400, REFUSED)
      }
      const [form, headers] = good
      await expectAnswer(deployment.exchange({ subject_token, ...form }, headers), 200)
    }
  })

  it('resource: one, or one of a list', async () => {
    for (const resource of [deployment.orders, ['https://x.example', deployment.orders]]) {
      const subject_token = await deployment.subjectToken({ resource })
      const { body } = await expectAnswer(
        deployment.exchange({ subject_token, ...ELSEWHERE }),
        400,
        'invalid_request',
      )
      expect(body.error_description).to.match(/resource/)
      await deployment.redeem(subject_token)
    }
  })

  it('scope: the most that is granted, whatever is asked for', async () => {
    const subject_token = await deployment.subjectToken({ scope: 'orders:read' })
    const form = { subject_token, scope: 'orders:write orders:read openid' }
    expect((await deployment.exchange(form)).body.scope).to.equal('orders:read')
  })

  it('expiresIn: shorter, never longer', async () => {
    const { body } = await deployment.issue({ userId: 'alice', expiresIn: 20 })
    expect(body.expiresIn).to.equal(20)
    {
      using _ = later(20_000)
      await expectAnswer(deployment.exchange({ subject_token: body.subjectToken }), 400)
    }
    const longer = deployment.issue({ userId: 'alice', expiresIn: 301 })
    await expectAnswer(longer, 400, 'expiresIn must be at most 300 seconds')
  })
})
