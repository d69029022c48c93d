import { expect } from 'chai'
import { managing } from '../support/managing.ts'

describe('POST …/impersonations/end: many', () => {
  it('ends what matches all of the filter, and counts what it ended itself', async () => {
    await using deployment = await managing()
    const { start, send, get } = deployment
    const olivia = { mayAct: { sub: 'olivia' } }
    const running = [
      await start({ userId: 'alice', ...olivia }),
      await start({ userId: 'bob', ...olivia }),
      await start({ userId: 'bob' }),
      await start({ userId: 'olivia' }),
    ]
    const states = () =>
      Promise.all(running.map(async ({ id }) => (await get(`/${id}`)).body.state))
    const ended = async (body: object) => {
      const answer = await send('/end', body)
      expect(answer.status).to.equal(200)
      expect(Object.keys(answer.body)).to.deep.equal(['ended'])
      return answer.body.ended
    }
    expect(await ended({ userId: 'bob', actor: 'olivia', requestedBy: 'console' })).to.equal(0)
    expect(await ended({ userId: 'bob', actor: 'olivia', requestedBy: 'backend' })).to.equal(1)
    expect(await states()).to.deep.equal(['issued', 'ended', 'issued', 'issued'])
    const how = { by: { sub: 'admin' }, cause: 'policy', reason: 'leaves today' }
    expect(await ended({ actor: 'olivia', ...how })).to.equal(1)
    expect(await states()).to.deep.equal(['ended', 'ended', 'issued', 'issued'])
    const { end } = (await get(`/${running[0]?.id}`)).body
    expect(end).to.deep.equal({ at: end.at, ...how })
    expect(await ended({ requestedBy: 'backend' })).to.equal(2)
    expect(await ended({ requestedBy: 'backend' })).to.equal(0)
  })

  it('ends more than one page holds, each with one event that has all facts', async () => {
    await using deployment = await managing()
    const context = { ticketId: 'SUP-2' }
    const { orders } = deployment
    const mayAct = { sub: 'olivia' }
    const bodies = Array.from({ length: 230 }, () => ({ userId: 'bob', mayAct, context }))
    const ids = (await Promise.all(bodies.map((body) => deployment.start(body)))).map(
      ({ id }) => id,
    )
    const redeemed = await deployment.start({ userId: 'bob', context })
    const exchanged = await deployment.exchange({ subject_token: redeemed.subjectToken })
    expect(exchanged.status).to.equal(200)
    const before = (await deployment.events()).length
    const answers = await Promise.all([
      deployment.send('/end', { userId: 'bob', reason: 'one' }),
      deployment.send('/end', { userId: 'bob', reason: 'other' }),
    ])
    const counts = answers.map(({ body }) => body.ended)
    expect(counts.reduce((sum, count) => sum + count)).to.equal(231)
    const events = (await deployment.events(before + 231)).slice(before)
    expect(events.map(({ id }) => id)).to.have.members([...ids, redeemed.id])
    for (const { timeMs: time, end, ...event } of events) {
      expect(time).to.be.a('number')
      expect(end).to.have.all.keys('at', 'cause', 'reason')
      const known = { name: 'impersonation.ended', userId: 'bob', requestedBy: 'backend', context }
      if (event.id !== redeemed.id) {
        expect(event).to.deep.equal({ ...known, id: event.id, actor: mayAct, mayAct })
        continue
      }
      expect(event).to.deep.equal({
        ...known,
        id: redeemed.id,
        client: 'console',
        resource: orders,
        scope: 'orders:read',
        expiresAt: event.expiresAt,
      })
      expect(event.expiresAt).to.be.a('number')
    }
  })

  it('400 without a filter: never all of them', async () => {
    await using deployment = await managing()
    const { id } = await deployment.start()
    const bad: Array<[named: string, ...bodies: unknown[]]> = [
      [
        'at least one of userId, actor, requestedBy',
        {},
        { reason: 'x' },
        { by: { sub: 'olivia' } },
      ],
      ['userId', { userId: '' }, { userId: null }, { userId: ['alice'] }, { userId: { $ne: '' } }],
      ['actor', { userId: 'alice', actor: '' }, { actor: 7 }, { actor: 'x'.repeat(1025) }],
      ['requestedBy', { requestedBy: true }, '{"requestedBy":"\\u0000"}'],
      ['state is not known', { userId: 'alice', state: 'issued' }],
      ['limit is not known', { userId: 'alice', limit: 1 }],
      ['id is not known', { id }],
      ['cause', { userId: 'alice', cause: 'replay' }],
      ['JSON object', [], 'null', '{', ['alice']],
    ]
    for (const [named, ...bodies] of bad) {
      for (const body of bodies) {
        const answer = await deployment.send('/end', body)
        expect([answer.status, answer.body.error]).to.deep.equal([400, 'invalid_request'])
        expect(answer.body.error_description, JSON.stringify(body)).to.include(named)
      }
    }
    expect((await deployment.send('/end')).status).to.equal(415)
    expect((await deployment.get(`/${id}`)).body.state).to.equal('issued')
  })
})
