import { expect } from 'chai'
import { bearer, deploy } from '../support/deployment.ts'
import { answerOf, expectAnswer } from '../support/http.ts'

describe('a management API below the same path as the provider', () => {
  it('leaves the routes of the token itself to the provider', async () => {
    const managementApi = { prefix: '/oidc', clients: { issue: () => true } }
    await using deployment = await deploy({ impersonation: { managementApi } })
    const issued = await answerOf(
      await fetch(`${deployment.issuer}/subject-tokens`, {
        method: 'POST',
        headers: { ...bearer(await deployment.m2mToken()), 'content-type': 'application/json' },
        body: '{"userId":"alice"}',
      }),
    )
    const { body } = await deployment.exchange({ subject_token: issued.body.subjectToken })
    expect((await deployment.current(body.access_token)).body.state).to.equal('active')
    await expectAnswer(deployment.endCurrent(body.access_token), 204)
    const { items } = await deployment.provider.impersonation.list()
    expect(items.map(({ state }) => state)).to.deep.equal(['ended'])
  })
})
