import { expect } from 'chai'
import {
  act,
  end,
  entriesOf,
  get,
  type Item,
  signInToAccount,
  WHY,
} from '../console/audit-support.ts'
import { basic, type Example, postForm, postJson, signIn, start } from './support.ts'

describe('example provider: an impersonation ends', () => {
  let example: Example
  let olivia: string
  let alice: string
  let machine: string
  before(async () => {
    example = await start()
    olivia = await signIn(example.url)
    alice = await signInToAccount(example.url, 'alice')
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

  const account = (path: string) => `${example.url}/account/impersonations${path}`
  const stateOf = async (id: unknown) =>
    (await get(`${example.url}/api/impersonations/${id}`, machine)).body
  const running = async (token = alice) => {
    const { status, body, headers } = await get(account('/running'), token)
    expect([status, headers.get('cache-control')]).to.deep.equal([200, 'no-store'])
    return body.running as Record<string, unknown>[]
  }
  const idOf = (jti: string) => jti.slice('impersonation:'.length)
  /** The entries of ends, each with what ended. */
  const endings = async (id: string): Promise<Item[]> => {
    const url = `${example.url}/support/audit?event=impersonation.ended`
    return entriesOf(await get(url, olivia)).filter((entry) => entry.id === id)
  }
  const historyOf = async (ticketId: string) =>
    entriesOf(await get(account(''), alice)).filter((entry) => entry.ticketId === ticketId)

  it('by its own token: once, in one entry that says who, and of what', async () => {
    const { accessToken, jti } = await act(example.url, olivia, { ...WHY, ticketId: 'SUP-2' })
    const id = idOf(jti)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => end(example.url, accessToken)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses).to.include(204)
    expect(statuses.every((status) => status === 204 || status === 401)).to.equal(true)
    expect((await end(example.url, accessToken)).status, 'it has ended').to.equal(401)
    expect(await stateOf(id)).to.deep.include({ state: 'ended' })
    const [entry, ...others] = await endings(id)
    expect(others).to.deep.equal([])
    expect(entry).to.deep.include({ subject: 'alice', actor: { sub: 'olivia' } })
    expect(entry?.end).to.deep.include({ by: { sub: 'olivia' }, cause: 'requested' })
    const [told, ...more] = await historyOf('SUP-2')
    expect(more).to.deep.equal([])
    expect(told?.end).to.include({ by: 'others' })
  })

  it('by the customer, who sees what is running and nothing internal, and then that she ended it', async () => {
    const { jti } = await act(example.url, olivia, { ...WHY, ticketId: 'SUP-3' })
    await act(example.url, olivia, { ...WHY, userId: 'bob' })
    const [one, ...others] = await running()
    expect(others, 'neither what has ended, nor of others').to.deep.equal([])
    const { startedAt, expiresAt, ...shown } = one ?? {}
    expect(shown).to.deep.equal({
      id: idOf(jti),
      operator: { id: 'olivia', name: 'Olivia Reyes' },
      ticketId: 'SUP-3',
      scope: 'orders:read',
    })
    expect(Number(expiresAt) - Number(startedAt)).to.be.within(590, 600)

    const ended = () => postJson(account('/end'), { id: shown.id }, alice)
    expect((await ended()).status).to.equal(204)
    expect((await historyOf('SUP-3'))[0]?.end, 'at once').to.include({ by: 'you' })
    expect(await running()).to.deep.equal([])
    expect((await ended()).status, 'once more changes nothing').to.equal(204)
    const entries = await endings(idOf(jti))
    expect(entries).to.have.length(1)
    expect(entries[0]?.end).to.deep.include({ by: { sub: 'alice' }, cause: 'user' })
  })

  it('by nobody but its customer, at the account page', async () => {
    const { accessToken, jti } = await act(example.url, olivia)
    const id = idOf(jti)
    const bob = await signInToAccount(example.url, 'bob')
    expect((await running(bob)).map((each) => each.id)).not.to.include(id)
    for (const [token, body, expected] of [
      [bob, { id }, 404],
      [alice, { id: 'x'.repeat(43) }, 404],
      [alice, { id: 'x' }, 400],
      [alice, { id, userId: 'alice' }, 400],
      [alice, {}, 400],
      [alice, '{', 400],
      [olivia, { id }, 401],
      [accessToken, { id }, 401],
      [undefined, { id }, 401],
    ] as const) {
      const { status } = await postJson(account('/end'), body, token)
      expect(status, JSON.stringify(body)).to.equal(expected)
    }
    expect((await get(account('/end'), alice)).status).to.equal(405)
    expect(await stateOf(id)).to.deep.include({ state: 'active' })
    expect(await endings(id)).to.deep.equal([])
  })
})
