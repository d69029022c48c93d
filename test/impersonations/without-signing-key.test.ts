import { expect } from 'chai'
import { deploy } from '../support/deployment.ts'

describe('a provider without a signing key, where all tokens are opaque', () => {
  it('tells where an impersonation is seen and where it ends, and names no status lists', async () => {
    await using deployment = await deploy({
      configuration: {
        jwks: { keys: [] },
        enabledJWA: { idTokenSigningAlgValues: ['HS256'] },
        clientDefaults: { id_token_signed_response_alg: 'HS256' },
      },
      impersonation: {
        managementApi: { tokenFormat: 'opaque', clients: { issue: () => true } },
      },
    })
    const { headers } = await deployment.issue({ userId: 'alice' })
    const [item] = (await deployment.provider.impersonation.list()).items
    expect(headers.get('location')).to.equal(`${deployment.base}/api/impersonations/${item?.id}`)
    const discovery = await fetch(`${deployment.issuer}/.well-known/openid-configuration`)
    const document: Record<string, unknown> = JSON.parse(await discovery.text())
    expect(document.impersonation_end_endpoint).to.equal(
      `${deployment.issuer}/impersonations/current/end`,
    )
    expect(document.impersonation_current_endpoint).to.equal(
      `${deployment.issuer}/impersonations/current`,
    )
    expect(document).to.not.have.property('status_list_aggregation_endpoint')
  })
})
