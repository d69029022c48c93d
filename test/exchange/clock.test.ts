import { expect } from 'chai'
import { recording } from '../support/audit.ts'
import { type Answer, type Deployment, deploy, type Form } from '../support/deployment.ts'
import { claimsOf } from '../support/own-hooks.ts'

/** Exchanges by a clock that moves on by a second whenever somebody looks at it. */
async function exchangeWhileSecondsTurn(deployment: Deployment, form: Form): Promise<Answer> {
  const { now } = Date
  let moment = now()
  Date.now = () => {
    moment += 1000
    return moment
  }
  try {
    return await deployment.exchange(form)
  } finally {
    Date.now = now
  }
}

describe('the moment of an exchange', () => {
  for (const format of ['jwt', 'opaque'] as const) {
    it(`is one: exp - iat is expires_in while seconds turn, and event and object have the same exp (${format})`, async () => {
      const { deployment, recorded } = await recording({})
      const resource = format === 'jwt' ? deployment.orders : `${deployment.base}/opaque`
      const subject_token = await deployment.subjectToken()
      const { body } = await exchangeWhileSecondsTurn(deployment, { subject_token, resource })
      const { iat, exp } = await claimsOf(deployment, body.access_token)
      expect(Number(exp) - Number(iat)).to.equal(body.expires_in)
      const granted = (await recorded()).find(({ name }) => name === 'impersonation.granted')
      const started = await deployment.provider.impersonation.get(String(granted?.id))
      expect([granted?.expiresAt, started?.expiresAt]).to.deep.equal([exp, exp])
      await deployment.close()
    })
  }

  it('is the one that getCustomJwtClaims sees', async () => {
    const seen: number[][] = []
    await using deployment = await deploy({
      impersonation: {
        getCustomJwtClaims({ token }) {
          seen.push([token.iat, token.exp])
          return {}
        },
      },
    })
    const subject_token = await deployment.subjectToken()
    const { body } = await exchangeWhileSecondsTurn(deployment, { subject_token })
    const { iat, exp } = await claimsOf(deployment, body.access_token)
    expect(seen.at(-1)).to.deep.equal([iat, exp])
  })
})
