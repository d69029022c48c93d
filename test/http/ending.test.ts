import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { withMembers } from '../adapters/with-members.ts'
import { expectAnswer, expectUncached } from '../support/http.ts'
import { managing } from '../support/managing.ts'
import { shared } from '../support/shared.ts'

/** Bodies that are refused, by what the refusal says. More texts that are none: ../shared. `/end` stands for the end of many. */
const REFUSED: ReadonlyArray<[path: '/end' | '/{id}/end', named: string, ...bodies: unknown[]]> = [
  ['/{id}/end', 'reasn is not known', { reasn: 'x' }],
  ['/{id}/end', 'userId is not known', { userId: 'alice' }],
  ['/{id}/end', 'is not known', { '\n"x': 1 }],
  ['/{id}/end', 'reason', ...['', 'x'.repeat(1025), 'a\0b'].map((reason) => ({ reason }))],
  ['/{id}/end', 'cause', ...['operator_signed_out', 'replay', 'x', 1].map((cause) => ({ cause }))],
  ['/{id}/end', 'by must', { by: 'olivia' }, { by: { sub: 'olivia', act: { sub: 'x' } } }],
  ['/{id}/end', 'by.sub is required', { by: {} }],
  ['/{id}/end', 'by.sub', ...['x'.repeat(256), 'oli\nvia'].map((sub) => ({ by: { sub } }))],
  ['/{id}/end', 'JSON object', ...['null', '[]', '{"__proto__":{"by":1}}']],
  ['/end', 'at least one of userId, actor, requestedBy', {}, { reason: 'x' }, { by: { sub: 'o' } }],
  ['/end', 'userId', { userId: { $ne: '' } }],
  ['/end', 'actor', { actor: 'x'.repeat(1025) }],
  ['/end', 'requestedBy', { requestedBy: true }],
  ['/end', 'state is not known', { userId: 'alice', state: 'issued' }],
  ['/end', 'limit is not known', { userId: 'alice', limit: 1 }],
  ['/end', 'id is not known', { id: 'A'.repeat(43) }],
  ['/end', 'cause', { userId: 'alice', cause: 'replay' }],
]

// When and how an impersonation ends, and what its tokens are worth then: ../impersonations.
describe('POST …/impersonations/{id}/end, and …/impersonations/end', () => {
  const deployment = shared(managing)
  const stateOf = async (id: string) => (await deployment.get(`/${id}`)).body.state

  it('again is 200, and the first end stays: by whom, why, when; the body may be left out', async () => {
    const { id } = await deployment.start()
    const how = { by: { sub: 'olivia' }, cause: 'user', reason: 'first' }
    const first = await deployment.send(`/${id}/end`, how)
    expectUncached(first.headers)
    expect(first.body.end).to.deep.equal({ at: first.body.end.at, ...how })
    for (const other of [{ by: { sub: 'eve' }, cause: 'policy', reason: 'second' }, {}]) {
      await expectAnswer(deployment.send(`/${id}/end`, other), 200, first.body)
    }
    for (const body of [undefined, {}, '{}']) {
      const { end } = (await deployment.send(`/${(await deployment.start()).id}/end`, body)).body
      expect(end).to.deep.equal({ at: end.at, cause: 'requested' })
    }
  })

  it('400 for a body that is no way to end, naming it, 415 for none, and nothing has ended', async () => {
    const { id } = await deployment.start()
    for (const [path, named, ...bodies] of REFUSED) {
      for (const body of bodies) {
        const sent = deployment.send(path.replace('{id}', id), body)
        const what = `${path} ${JSON.stringify(body)}`
        const answer = await expectAnswer(sent, 400, 'invalid_request', what)
        expect(answer.body.error_description, what)
          .to.include(named)
          .and.match(/^[\x20-\x7e]*$/)
      }
    }
    await expectAnswer(deployment.send('/end'), 415)
    expect(await stateOf(id)).to.equal('issued')
    deployment.expectNoErrors()
  })

  it('many: ends what matches all of the filter, and counts what it ended itself', async () => {
    await using own = await managing()
    const olivia = { mayAct: { sub: 'olivia' } }
    const users = [{ userId: 'alice', ...olivia }, { userId: 'bob', ...olivia }, { userId: 'bob' }]
    const running = await Promise.all(users.map(own.start))
    const how = { by: { sub: 'admin' }, cause: 'policy', reason: 'leaves today' }
    const bobs = { userId: 'bob', actor: 'olivia' }
    for (const [filter, ...states] of [
      [{ ...bobs, requestedBy: 'console' }, 'issued', 'issued', 'issued'],
      [{ ...bobs, requestedBy: 'backend' }, 'issued', 'ended', 'issued'],
      [{ actor: 'olivia', ...how }, 'ended', 'ended', 'issued'],
      [{ requestedBy: 'backend' }, 'ended', 'ended', 'ended'],
      [{ requestedBy: 'backend' }, 'ended', 'ended', 'ended'],
    ] as const) {
      const before = (await own.get('?state=ended')).body.items.length
      const { body } = await own.send('/end', filter)
      const now = await Promise.all(running.map(async ({ id }) => (await own.get(`/${id}`)).body))
      expect(now.map(({ state }) => state)).to.deep.equal(states)
      const ended = states.filter((state) => state === 'ended').length - before
      expect(body).to.deep.equal({ ended })
    }
    const { end } = (await own.get(`/${running[0]?.id}`)).body
    expect(end).to.deep.equal({ at: end.at, ...how })
  })

  it('many: more than one page holds, and a failure in the middle: a repetition finishes it', async () => {
    const adapter = createMemoryAdapter()
    let left = 0
    const endOnce = async (id: string, end: { at: number }) => {
      if (left-- <= 0) throw new Error('the storage failed')
      return adapter('SubjectToken').endOnce(id, end)
    }
    await using own = await managing({
      adapter: (model) => withMembers(adapter(model), { endOnce }),
    })
    const bodies = Array.from({ length: 230 }, () => ({ userId: 'bob' }))
    const ids = (await Promise.all(bodies.map(own.start))).map(({ id }) => id)
    const before = (await own.events()).length
    left = 123
    await expectAnswer(own.send('/end', { userId: 'bob', reason: 'first' }), 500, 'server_error')
    left = 1000
    const counts = await Promise.all([
      own.send('/end', { userId: 'bob', reason: 'second' }),
      own.send('/end', { userId: 'bob', reason: 'second' }),
    ])
    expect(counts.map(({ body }) => body.ended).reduce((sum, count) => sum + count)).to.equal(107)
    const events = (await own.events(before + 231)).slice(before)
    const named = events.map(({ name, id }) => (name.endsWith('ended') ? id : name))
    expect(named).to.have.members([...ids, 'impersonation.denied'])
    expect(events.filter(({ end }) => end?.reason === 'first')).to.have.lengthOf(123)
  })

  it('refused: impersonation.denied at the stage end, with who asked; a reading raises nothing', async () => {
    const { id } = await deployment.start()
    const before = (await deployment.events()).length
    await deployment.send(`/${id}/end`, { x: 1 })
    await deployment.send('/end', {})
    await deployment.send(`/${'A'.repeat(43)}/end`)
    await deployment.send(`/${id}/end`, {}, { token: 'unknown' })
    await deployment.get('/x')
    await deployment.get('', { token: 'unknown' })
    const events = (await deployment.events(before + 4)).slice(before)
    const facts = events.map(({ name, denial, client, requestedBy, ...event }) => [
      ...[name, denial?.stage, denial?.error, client, event.id, requestedBy],
    ])
    const denied = ['impersonation.denied', 'end']
    expect(facts).to.deep.equal([
      [...denied, 'invalid_request', 'backend', id, undefined],
      [...denied, 'invalid_request', 'backend', undefined, undefined],
      [...denied, 'not_found', 'backend', 'A'.repeat(43), undefined],
      [...denied, 'invalid_token', undefined, undefined, undefined],
    ])
  })
})
