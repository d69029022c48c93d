import { expect } from 'chai'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { type Deployment, deploy } from '../support/deployment.ts'
import { expectStatus } from '../support/expect-answer.ts'
import { COPILOT_SECRET, MACHINE } from '../support/provider.ts'
import { reads, signedIn } from './support/operating.ts'

const BY_COPILOT = reads('copilot, for Olivia Okafor')

/** The copilot looks into Alice's orders, for Olivia. */
async function actByCopilot({ provider, issuer, url, signIn }: Deployment) {
  const resource = `${url}/orders`
  const { subjectToken } = await provider.impersonation.issue(
    {
      userId: 'alice',
      mayAct: { sub: 'olivia', clientId: 'copilot' },
      resource,
      scope: 'orders:read',
      context: { ticketId: 'SUP-7', reason: 'A summary for the operator' },
    },
    { as: MACHINE.clientId },
  )
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`copilot:${COPILOT_SECRET}`)}` },
    body: new URLSearchParams({
      grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
      subject_token: subjectToken,
      subject_token_type: ACCESS_TOKEN_TYPE,
      actor_token: (await signIn('olivia', { clientId: 'shop' })).accessToken,
      actor_token_type: ACCESS_TOKEN_TYPE,
      resource,
      scope: 'orders:read',
    }),
  })
  const { access_token } = Object(await answer.json())
  expectStatus(await fetch(resource, { headers: { authorization: `Bearer ${access_token}` } }), 200)
  const { items } = await provider.impersonation.list({ client: 'copilot' })
  return String(items[0]?.id)
}

describe('I16: software that acts', () => {
  it('is named to the lead, the auditor and the customer; the operator ends it, and does not act', async () => {
    await using deployment = await deploy()
    const id = await actByCopilot(deployment)
    await deployment.settled()

    await using grace = await signedIn(deployment, 'grace')
    await grace.page.getByRole('row', { name: /SUP-7/ }).getByText(BY_COPILOT).waitFor()

    await using ada = await signedIn(deployment, 'ada', `/console/audit/${id}`)
    await ada.page.getByRole('heading', { name: BY_COPILOT }).waitFor()
    const facts = ada.page.locator('dl').first()
    await facts.getByText('Software', { exact: true }).waitFor()

    await using alice = await signedIn(deployment, 'alice', '/account')
    await alice.page.getByRole('article').getByRole('heading', { name: BY_COPILOT }).waitFor()

    const body = await deployment.read('olivia', '')
    expect(body.running[0]).to.deep.include({ software: 'copilot', isMine: false, canEnd: true })
    const ended = await deployment.ask('olivia', `/running/${id}/end`, {})
    expectStatus(ended, 204)
    await grace.page.getByRole('row', { name: /SUP-7/ }).waitFor({ state: 'detached' })
  })
})
