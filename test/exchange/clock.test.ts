import { expect } from 'chai'
import { recording } from '../support/audit.ts'
import { deploy } from '../support/deployment.ts'
import { claimsOf } from '../support/own-hooks.ts'

/** Runs by a clock that moves on by a second whenever somebody looks at it. */
async function whileSecondsTurn<T>(run: () => Promise<T>): Promise<T> {
  const { now } = Date
  let moment = now()
  Date.now = () => {
    moment += 1000
    return moment
  }
  try {
    return await run()
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
      const { body } = await whileSecondsTurn(() =>
        deployment.exchange({ subject_token, resource }),
      )
      const { iat, exp } = await claimsOf(deployment, body.access_token)
      expect(Number(exp) - Number(iat)).to.equal(body.expires_in)
      const event = (await recorded()).find(({ name }) => name === 'impersonation.started')
      const started = await deployment.provider.impersonation.get(String(event?.id))
      expect([event?.expiresAt, started?.expiresAt]).to.deep.equal([exp, exp])
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
    const { body } = await whileSecondsTurn(() => deployment.exchange({ subject_token }))
    const { iat, exp } = await claimsOf(deployment, body.access_token)
    expect(seen.at(-1)).to.deep.equal([iat, exp])
  })
})

describe('the moment of an issue', () => {
  it('is one: record and event have the same last moment of redemption while seconds turn', async () => {
    const { deployment, recorded } = await recording({})
    const token = await deployment.m2mToken()
    const { body } = await whileSecondsTurn(() => deployment.issue({ userId: 'alice' }, { token }))
    const [issued] = await recorded()
    const object = await deployment.provider.impersonation.get(String(issued?.id))
    expect(object?.redeemableUntil).to.equal(issued?.expiresAt)
    expect(Number(object?.redeemableUntil) - Number(object?.issuedAt)).to.equal(body.expiresIn)
    await deployment.close()
  })
})
