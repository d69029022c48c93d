import { expect } from 'chai'
import { deploy } from '../support/deployment.ts'
import { bearer, current, end } from '../support/ending-current.ts'
import { answerOf } from '../support/http.ts'

describe('a management API below the same path as the provider', () => {
  it('leaves the routes of the token itself to the provider', async () => {
    await using deployment = await deploy({
      impersonation: {
        managementApi: {
          resource: 'https://id.example.com/api',
          prefix: '/oidc',
          clients: { issue: () => true },
        },
      },
    })
    const resource = 'https://id.example.com/api'
    const issued = await answerOf(
      await fetch(`${deployment.issuer}/subject-tokens`, {
        method: 'POST',
        headers: {
          ...bearer(await deployment.m2mToken({ resource })),
          'content-type': 'application/json',
        },
        body: JSON.stringify({ userId: 'alice' }),
      }),
    )
    const { body } = await deployment.exchange({ subject_token: issued.body.subjectToken })
    const shown = await current(deployment.base, bearer(body.access_token))
    expect(shown.body.state).to.equal('active')
    expect((await end(deployment.base, bearer(body.access_token))).status).to.equal(204)
    const { items } = await deployment.provider.impersonation.list()
    expect(items.map(({ state }) => state)).to.deep.equal(['ended'])
  })
})
