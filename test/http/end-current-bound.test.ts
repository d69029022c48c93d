import { expect } from 'chai'
import { athOf, dpopKey } from '../support/dpop.ts'
import { end, impersonate, PATH } from '../support/ending-current.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { managing } from '../support/managing.ts'

describe('I10: …/impersonations/current/end takes a bound token with its proof alone', () => {
  const dPoP = { enabled: true, nonceSecret: Buffer.alloc(32, 1) } as const

  it('a proof that was used before is refused before anything ends', async () => {
    const { adapter, faults } = faultyAdapter()
    await using deployment = await managing({ configuration: { adapter, features: { dPoP } } })
    const { base, issuer } = deployment
    const key = await dpopKey()
    const proof = await key.proof({ htu: `${issuer}/token` })
    const { id, token } = await impersonate(deployment, {}, { dpop: proof })
    const headers = {
      authorization: `DPoP ${token}`,
      dpop: await key.proof({ htu: `${base}${PATH}`, ath: athOf(token) }),
    }
    faults.add('SubjectToken.endOnce')
    expect((await end(base, headers)).status).to.equal(500)
    faults.clear()
    const replayed = await end(base, headers)
    expect([replayed.status, replayed.body.error]).to.deep.equal([401, 'invalid_token'])
    expect((await deployment.get(`/${id}`)).body.state).to.equal('active')
  })
})
