import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { later } from '../support/clock.ts'
import { expectAnswer, expectUncached } from '../support/http.ts'
import { managing, raw } from '../support/managing.ts'
import { shared } from '../support/shared.ts'

describe('GET …/impersonations/{id}: see one', () => {
  const deployment = shared(managing)

  it('one id from the issue to the end, and what is known at each moment', async () => {
    const { get, start, orders, exchange, send } = deployment
    const context = { ticketId: 'SUP-123' }
    const mayAct = { sub: 'olivia', clientId: 'console' }
    const { id, subjectToken } = await start({ context, mayAct, resource: orders, expiresIn: 60 })
    const issued = await expectAnswer(get(`/${id}`), 200)
    expectUncached(issued.headers)
    const { issuedAt, status } = issued.body
    expect(status).to.have.all.keys('idx', 'uri')
    expect(status.uri.startsWith(`${deployment.issuer}/status-lists/`)).to.equal(true)
    expect(issued.body).to.deep.equal({
      id,
      state: 'issued',
      userId: 'alice',
      mayAct,
      requestedBy: 'backend',
      resource: [orders],
      context,
      issuedAt,
      redeemableUntil: issuedAt + 60,
      status,
    })
    const actor_token = await deployment.actorToken()
    await expectAnswer(exchange({ subject_token: subjectToken, actor_token }), 200)
    const { body: active } = await get(`/${id}`)
    expect(active.startedAt).to.be.within(issuedAt, issuedAt + 60)
    expect(active.expiresAt - active.startedAt).to.be.within(870, 901)
    const { startedAt, expiresAt } = active
    expect(active).to.deep.equal({
      ...issued.body,
      state: 'active',
      actor: { sub: 'olivia' },
      client: 'console',
      resource: orders,
      scope: 'orders:read',
      startedAt,
      expiresAt,
    })
    const how = { by: { sub: 'olivia' }, cause: 'user', reason: 'done' }
    const ended = await send(`/${id}/end`, how)
    const { at } = ended.body.end
    expect(at).to.be.within(startedAt, startedAt + 60)
    expect(ended.body).to.deep.equal({ ...active, state: 'ended', end: { at, ...how } })
    expect((await get(`/${id}`)).body).to.deep.equal(ended.body)
    // Every member is named above: no value of a token, and nothing that the storage has for itself.
    expect(JSON.stringify(ended.body)).to.not.include(subjectToken)
  })

  it('an expired one is shown as expired, redeemed or not, until its record goes', async () => {
    const { id } = await deployment.start()
    const redeemed = await deployment.start()
    await deployment.exchange({ subject_token: redeemed.subjectToken })
    {
      using _ = later(590_000)
      await deployment.expectState(id, 'issued')
    }
    const tokenOf = () => deployment.m2mToken({ scope: 'impersonations:read' })
    using _ = later(902_000)
    const token = await tokenOf()
    for (const each of [id, redeemed.id]) {
      expect((await deployment.get(`/${each}`, { token })).body.state).to.equal('expired')
    }
  })

  it("one whose redemption left no note, as singleUse: 'per-process' leaves none, is active until it ends", async () => {
    const adapter = createMemoryAdapter()
    await using other = await managing({ adapter })
    const { id } = await other.start()
    await adapter('SubjectToken').consume(id)
    const { body } = await other.get(`/${id}`)
    expect(body).to.include({ id, state: 'active', userId: 'alice' })
    expect(body).to.not.have.any.keys('actor', 'client', 'expiresAt')
    expect((await other.send(`/${id}/end`)).body).to.deep.include({ id, state: 'ended' })
  })

  it('an id of any other shape is 404 or another path, and never a 500', async () => {
    const { id } = await deployment.start()
    const headers = { authorization: `Bearer ${deployment.token}` }
    const shapes = [
      ...['A'.repeat(43), id.toLowerCase(), id.toUpperCase(), id.slice(1), `x${id}`],
      ...['=', '%20', '%00', '%0A', '%2F'].map((more) => `${id}${more}`),
      ...['%2e%2e', '..', '.', '%', '%ff', '%F0%9F%92%A9', '%2e%2e%2fsubject-tokens'],
      ...['__proto__', 'constructor', 'null', '*', ';', "'%20OR%201=1", '$ne', 'x'.repeat(4000)],
    ]
    for (const shape of shapes) {
      for (const [method, path] of [
        ['GET', `/api/impersonations/${shape}`],
        ['POST', `/api/impersonations/${shape}/end`],
      ] as const) {
        const { status, text } = await raw(deployment.base, path, { method, headers })
        expect([status, JSON.parse(text).error], shape).to.deep.equal([404, 'not_found'])
      }
    }
    deployment.expectNoErrors()
  })
})
