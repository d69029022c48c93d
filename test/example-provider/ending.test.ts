import { expect } from 'chai'
import { act, bearer, end, get, tokensOf, WHY } from './acting.ts'
import { basic, type Example, postForm, postJson, send, signIn, start } from './support.ts'

describe('example provider: an impersonation ends', () => {
  let example: Example
  let olivia: string
  let alice: string
  let machine: string
  before(async () => {
    example = await start()
    olivia = await signIn(example.url)
    const account = await tokensOf(example.url, 'customer-account', 'alice')
    alice = String(account.body.access_token)
    const { body } = await postForm(
      `${example.url}/oidc/token`,
      {
        grant_type: 'client_credentials',
        resource: `${example.url}/api`,
        scope: 'impersonate impersonations:read impersonations:end',
      },
      basic('support-backend', 'support-backend-secret'),
    )
    expect(body.scope).to.equal('impersonate impersonations:read impersonations:end')
    machine = String(body.access_token)
  })
  after(() => example.close())

  const stateOf = async (id: unknown) =>
    (await get(`${example.url}/api/impersonations/${id}`, machine)).body
  const orders = async (token: string) =>
    (await send(`${example.url}/orders`, { headers: bearer(token) })).status

  it('by its own token: once, and the provider knows who ended it', async () => {
    const { accessToken, id } = await act(example.url, olivia, { ...WHY, ticketId: 'SUP-2' })
    expect(await orders(accessToken)).to.equal(200)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => end(example.url, accessToken)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses).to.include(204)
    expect(statuses.every((status) => status === 204 || status === 401)).to.equal(true)
    expect((await end(example.url, accessToken)).status, 'it has ended').to.equal(401)
    const ended = await stateOf(id)
    expect(ended).to.deep.include({ state: 'ended' })
    expect(ended.end).to.deep.include({ by: { sub: 'olivia' }, cause: 'requested' })
  })

  it('by the customer, at the account page, and by no other', async () => {
    const { id } = await act(example.url, olivia, { ...WHY, ticketId: 'SUP-3' })
    const account = `${example.url}/account/api`
    const bob = await tokensOf(example.url, 'customer-account', 'bob')
    const byBob = await postJson(`${account}/end`, { id }, String(bob.body.access_token))
    expect(byBob.status).to.equal(404)
    expect((await postJson(`${account}/end`, { id }, olivia)).status).to.equal(401)
    expect(await stateOf(id)).to.deep.include({ state: 'active' })

    const { status, text } = await get(`${account}/running`, alice)
    expect(status).to.equal(200)
    expect(text).to.include('Olivia Reyes').and.include('SUP-3').and.not.include(WHY.reason)
    expect((await postJson(`${account}/end`, { id }, alice)).status).to.equal(204)
    expect((await stateOf(id)).end).to.deep.include({ by: { sub: 'alice' }, cause: 'user' })
  })
})
