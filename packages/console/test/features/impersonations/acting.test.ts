import { expect } from 'chai'
import { shared } from '../../../../../test/support/shared.ts'
import { requestFor } from '../../../src/web/acting/asked-for.ts'
import type { Call } from '../../../src/web/parts.ts'
import { ACT, refusals } from '../../support/acting.ts'
import { deploy } from '../../support/deployment.ts'
import { expectProblem, expectRefusal, expectStatus } from '../../support/expect-answer.ts'

describe('acting as a customer', () => {
  const deployment = shared(() => deploy({ console: { ticket: { pattern: /SUP-\d+/ } } }))

  const act = (body: object, who = 'olivia') => deployment.ask(who, '/impersonations', body)

  it('hands over a token for this operator in this application, for a minute', async () => {
    const { status, body, headers } = await act(ACT)
    expect(status).to.equal(201)
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(body.expiresIn).to.equal(60)
    expect(body).to.deep.include({
      url: `${deployment.shopUrl}/`,
      handOver: 'fragment',
      name: 'Shop',
    })
    const error = await deployment.exchange('oscar', body).catch((reason: unknown) => reason)
    expect(String(error)).to.contain('not exchanged')
    const running = await deployment.exchange('olivia', body)
    expect(await running.look()).to.equal(200)
    expect(await running.change(), 'with access read').to.equal(403)
  })

  it('to change, where that was asked for, and no longer than chosen, whatever the policy answers', async () => {
    const running = await deployment.impersonate({ access: 'change', duration: 120 })
    expect(await running.change()).to.equal(200)
    const body = await deployment.read('olivia', '')
    const found = body.running.find(({ id }: { id: string }) => id === running.id)
    // The storage says in whole seconds when it was redeemed, maybe in the second after the token's `iat`.
    expect(found.expiresAt - found.startedAt).to.be.within(119_000, 120_000)
  })

  for (const [accessTokenTtl, left] of [
    [60, 60],
    [500, 120],
  ] as const) {
    it(`for ${left} seconds where 120 were chosen and the policy answers ${accessTokenTtl}`, async () => {
      await using other = await deploy({ authorize: () => ({ accessTokenTtl }) })
      const { id } = await other.impersonate({ duration: 120 })
      const { expiresAt = 0, startedAt = 0 } = (await other.provider.impersonation.get(id)) ?? {}
      expect(expiresAt - startedAt).to.be.within(left - 1, left)
    })
  }

  it('to change is to look as well, each scope once, whether or not the option says it again', async () => {
    for (const change of ['orders:write', 'orders:read orders:write']) {
      const shop = {
        clientId: 'shop',
        resource: 'https://api',
        scopes: { read: 'orders:read', change },
      }
      const { request } = await requestFor(
        {
          caller: { id: 'olivia' },
          directory: { get: async () => ({ id: 'alice', name: 'Alice Ng' }) },
          gate: { findStop: async () => undefined },
          settings: { applications: [shop] },
        } as unknown as Call,
        { ...ACT, access: 'change' },
      )
      expect(request.scope).to.equal('orders:read orders:write')
    }
  })

  const wrong: readonly (readonly [object | string, string])[] = [
    [{ ...ACT, userId: '' }, 'userId is required: a text of 1 to 255 characters'],
    [{ ...ACT, userId: 'x'.repeat(256) }, 'userId must be a text of 1 to 255 characters'],
    [{ ...ACT, ticketId: undefined }, 'ticketId is required: a text of 1 to 100 characters'],
    [{ ...ACT, ticketId: 'XSUP-1' }, 'ticketId is not a ticket number'],
    [
      { ...ACT, userId: 'alice\u200b' },
      'userId must not begin or end with a blank or an invisible character',
    ],
    [
      { ...ACT, userId: ' alice' },
      'userId must not begin or end with a blank or an invisible character',
    ],
    [{ ...ACT, ticketId: 'SUP-1\nSUP-2' }, 'ticketId must not contain control characters'],
    [
      { ...ACT, ticketId: 'SUP-1\u200b23' },
      'ticketId must not contain characters that are not seen',
    ],
    [{ ...ACT, ticketId: 'SUP\u00a01' }, 'ticketId must not contain characters that are not seen'],
    [{ ...ACT, reason: '  ' }, 'reason is required: a text of 1 to 500 characters'],
    [{ ...ACT, reason: 'x'.repeat(501) }, 'reason must be a text of 1 to 500 characters'],
    [{ ...ACT, reason: 'a \u202Eb' }, 'reason must not contain control characters'],
    [{ ...ACT, reason: { a: 1 } }, 'reason must be a text'],
    [{ ...ACT, application: 'other' }, 'application must be one of: shop'],
    [{ ...ACT, access: 'all' }, 'access must be one of: read, change'],
    [{ ...ACT, duration: 121 }, 'duration must be one of: 120, 300, 600'],
    [{ ...ACT, scope: 'admin' }, 'there is a name that is not known here; known are: userId'],
    ['[]', 'the body must be an object'],
    ['"x"', 'the body is not a valid JSON object'],
    ['{', 'the body is not a valid JSON object'],
  ]
  for (const [body, told] of wrong) {
    it(`refuses: ${told}`, async () => {
      const answer = await deployment.ask('olivia', '/impersonations', body)
      expectStatus(answer, 400)
      expect(answer.body.error).to.equal('invalid_request')
      expect(answer.body.error_description).to.contain(told)
    })
  }

  it('refuses bodies that are large, compressed, or no JSON', async () => {
    expectStatus(await act({ ...ACT, reason: 'x'.repeat(20_000) }), 413)
    for (const headers of [
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'application/json; charset=iso-8859-1' },
      { 'content-encoding': 'gzip' },
    ]) {
      expectStatus(await deployment.ask('olivia', '/impersonations', ACT, headers), 415)
    }
  })

  it('refuses an operator who would act as themselves, and records it', async () => {
    deployment.roles.set('bob', 'operator')
    const refused = await act({ ...ACT, userId: 'bob' }, 'bob')
    expectRefusal(refused, 403, 'own_account', 'nobody acts as themselves')
    const [row] = await refusals(deployment, 'bob')
    expect(row.operator.id).to.equal('bob')
    deployment.roles.delete('bob')
  })

  it('refuses a protected customer with the reason, and records it', async () => {
    const why = 'Paula works here: support does not act as colleagues.'
    expectRefusal(await act({ ...ACT, userId: 'paula' }), 403, 'access_denied', why)
    const [row] = await refusals(deployment, 'paula')
    expect(row).to.deep.include({ ticket: 'SUP-123', outcome: 'refused', denied: 1 })
    expect(row.operator).to.deep.include({ id: 'olivia', name: 'Olivia Okafor' })
    expect(row.customer).to.deep.include({ id: 'paula', name: 'Paula Protected' })
    expect(row.refusal).to.deep.include({ error: 'access_denied' })
    expect(row.id, 'a permanent link has one form').to.match(/^[\w-]{43}$/)
    const opened = await deployment.ask('olivia', `/audit/${row.id}`)
    expectStatus(opened, 200, 'what the operator tried is theirs to see')
  })

  it('refuses a customer who does not exist, and records it', async () => {
    expectProblem(await act({ ...ACT, userId: 'ghost' }), 404, 'user_not_found')
    expect(await refusals(deployment, 'ghost')).to.have.length(1)
  })

  it('records what a person asked for who may not act', async () => {
    await act({ ...ACT, userId: 'carla' }, 'ada')
    const [row, ...others] = await refusals(deployment, 'carla')
    expect(others).to.deep.equal([])
    expect([row.operator.id, row.customer.id]).to.deep.equal(['ada', 'carla'])
    const { ticketId: ticket, reason, application } = ACT
    expect(row).to.include({ ticket, reason, application, outcome: 'refused' })
  })

  it('a stranger puts no words of theirs before the customer whom they name, nor into the audit', async () => {
    const lure = { ticketId: 'SUP-5550100', reason: 'Your account is at risk' }
    expectStatus(await act({ ...ACT, ...lure, userId: 'carla' }, 'bob'), 403)
    expect(await refusals(deployment, 'carla'), 'not of carla').to.have.length(1)
    const told = await deployment.account('carla', '')
    // Ids are random: three letters of one may be anything.
    expect(told.text).not.to.match(/5550100|at risk|"bob"|Bob Marsh/i)

    const [row] = (await deployment.read('ada', '/audit?operator=bob')).rows
    expect(row).to.include({ outcome: 'refused', denied: 1 })
    expect(row).not.to.have.any.keys('customer', 'ticket', 'reason')
    const timeline = await deployment.read('ada', `/audit/${row.id}`)
    expect(timeline.entries[0].context, 'whom bob named').to.deep.equal({ userId: 'carla' })
  })

  it('a stranger cannot fill the audit: 20 a day', async () => {
    for (let index = 0; index < 5; index += 1) {
      await act({ ...ACT, reason: `reason ${index}`, userId: 'bob' }, 'alice')
    }
    const statuses: number[] = []
    for (let index = 5; index < 22; index += 1) {
      statuses.push((await act({ ...ACT, userId: `user-${index}` }, 'alice')).status)
    }
    expect(statuses).to.deep.equal([...new Array(15).fill(403), 429, 429])
    await deployment.settled()
    const body = await deployment.read('ada', '/audit?operator=alice&limit=200')
    expect(body.rows, 'of bob, and of accounts that there are not').to.have.length(20)
    const { headers } = await act({ ...ACT, userId: 'one-more' }, 'alice')
    expect(Number(headers.get('retry-after'))).to.be.greaterThan(3600)
  })

  it('one operator cannot fill the audit with what is never used: 60 a minute', async () => {
    const statuses: number[] = []
    for (let index = 0; index < 62; index += 1) {
      statuses.push((await act(ACT, 'grace')).status)
    }
    expect(statuses.filter((status) => status === 201)).to.have.length(60)
    const { status, headers } = await act(ACT, 'grace')
    expect(status).to.equal(429)
    expect(headers.get('retry-after')).to.match(/^[1-9]\d?$/)
    const told = deployment.log.filter((line) => line.includes('grace asked to act 60 times'))
    expect(told).to.have.length(1)
    expectStatus(await act(ACT, 'olivia'), 201, 'of another person')
  })
})
