import { expect } from 'chai'
import { recording } from '../support/audit.ts'
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

it('the moment of an issue or an exchange is one, while seconds turn: for token, hook, record, event and answer', async () => {
  const seen: unknown[] = []
  await using deployment = await recording({
    impersonation: {
      getCustomJwtClaims({ token }) {
        seen.push(token.iat, token.exp)
        return {}
      },
    },
  })
  const { impersonation } = deployment.provider
  for (const resource of [deployment.orders, `${deployment.base}/opaque`]) {
    const token = await deployment.m2mToken()
    const issued = await whileSecondsTurn(() => deployment.issueBy(token))
    const { id = '', expiresAt } = (await deployment.recorded()).at(-1) ?? {}
    const before = await impersonation.get(id)
    expect(before?.redeemableUntil).to.equal(expiresAt)
    expect(Number(expiresAt) - Number(before?.issuedAt)).to.equal(issued.body.expiresIn)
    const form = { subject_token: issued.body.subjectToken, resource }
    const { body } = await whileSecondsTurn(() => deployment.exchange(form))
    const { iat, exp } = await claimsOf(deployment, body.access_token)
    expect(Number(exp) - Number(iat)).to.equal(body.expires_in)
    const told = [
      (await deployment.recorded()).at(-1)?.expiresAt,
      (await impersonation.get(id))?.expiresAt,
    ]
    expect([...told, ...seen.slice(-2)]).to.deep.equal([exp, exp, iat, exp])
  }
})
