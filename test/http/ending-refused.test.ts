import { expect } from 'chai'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { managing } from '../support/managing.ts'

describe('ends that are refused, or fail', () => {
  it('raise impersonation.denied at the stage end, with who asked; a reading raises nothing', async () => {
    await using deployment = await managing()
    const { id } = await deployment.start()
    const before = (await deployment.events()).length
    await deployment.send(`/${id}/end`, { x: 1 })
    await deployment.send('/end', {})
    await deployment.send(`/${'A'.repeat(43)}/end`)
    await deployment.send(`/${id}/end`, {}, { token: 'unknown' })
    await deployment.get('/x')
    await deployment.get('', { token: 'unknown' })
    const events = (await deployment.events(before + 4)).slice(before)
    const common = { name: 'impersonation.denied', stage: 'end' }
    expect(
      events.map(({ name, denial, client, ...event }) => ({
        name,
        stage: denial?.stage,
        error: denial?.error,
        client,
        id: event.id,
      })),
    ).to.deep.equal([
      { ...common, error: 'invalid_request', client: 'backend', id },
      { ...common, error: 'invalid_request', client: 'backend', id: undefined },
      { ...common, error: 'not_found', client: 'backend', id: 'A'.repeat(43) },
      { ...common, error: 'invalid_token', client: undefined, id: undefined },
    ])
    expect(events.map(({ requestedBy }) => requestedBy)).to.deep.equal(events.map(() => undefined))
  })

  it('I5: storage that fails is a 500 each time, in JSON, and nothing has ended', async () => {
    for (const fault of ['SubjectToken.find', 'SubjectToken.endOnce', 'SubjectToken.list']) {
      const { adapter, faults } = faultyAdapter()
      await using deployment = await managing({ configuration: { adapter } })
      const { id } = await deployment.start()
      faults.add(fault)
      const isOfMany = fault.endsWith('list')
      const { status, body } = isOfMany
        ? await deployment.send('/end', { userId: 'alice' })
        : await deployment.send(`/${id}/end`)
      expect([status, body.error], fault).to.deep.equal([500, 'server_error'])
      expect(JSON.stringify(body)).to.not.include('storage')
      faults.clear()
      expect((await deployment.get(`/${id}`)).body.state).to.equal('issued')
      const events = await deployment.events(2)
      expect(events.map(({ name, denial }) => [name, denial?.error])).to.deep.equal([
        ['impersonation.issued', undefined],
        ['impersonation.denied', 'server_error'],
      ])
    }
  })

  it('a reply that is lost is asked for again: the end was made, so it is 200 with one event', async () => {
    const { adapter: failing } = faultyAdapter()
    let isLost = false
    const adapter = (model: string) =>
      new Proxy(failing(model), {
        get: (target, property) =>
          property !== 'endOnce'
            ? Reflect.get(target, property)
            : async (...args: unknown[]) => {
                const won = await Reflect.apply(Reflect.get(target, property), target, args)
                if (!isLost) return won
                isLost = false
                throw new Error('the connection is gone')
              },
      })
    await using deployment = await managing({ configuration: { adapter } })
    const { id } = await deployment.start()
    isLost = true
    const { status, body } = await deployment.send(`/${id}/end`, { reason: 'mine' })
    expect([status, body.end?.reason]).to.deep.equal([200, 'mine'])
    const again = await deployment.send(`/${id}/end`, { reason: 'another' })
    expect([again.status, again.body.end.reason]).to.deep.equal([200, 'mine'])
    const ended = (await deployment.events(2)).filter(({ name }) => name.endsWith('ended'))
    expect(ended).to.have.lengthOf(1)
  })

  it('in the middle of many: what was ended stays ended, and a repetition finishes it', async () => {
    const { adapter: failing } = faultyAdapter()
    let left = Number.POSITIVE_INFINITY
    const adapter = (model: string) =>
      new Proxy(failing(model), {
        get: (target, property) =>
          property !== 'endOnce'
            ? Reflect.get(target, property)
            : async (...args: unknown[]) => {
                if (left-- <= 0) throw new Error('the storage failed')
                return Reflect.apply(Reflect.get(target, property), target, args)
              },
      })
    await using deployment = await managing({ configuration: { adapter } })
    const ids = await Promise.all(
      Array.from({ length: 40 }, async () => (await deployment.start({ userId: 'bob' })).id),
    )
    const before = (await deployment.events()).length
    left = 23
    const failed = await deployment.send('/end', { userId: 'bob', reason: 'first' })
    expect([failed.status, failed.body]).to.deep.equal([
      500,
      { error: 'server_error', error_description: 'oops! something went wrong' },
    ])
    left = Number.POSITIVE_INFINITY
    const ended = async () => (await deployment.get('?userId=bob&state=ended&limit=100')).body.items
    expect(await ended()).to.have.lengthOf(23)
    const repeated = await deployment.send('/end', { userId: 'bob', reason: 'second' })
    expect(repeated.body).to.deep.equal({ ended: 17 })
    const items: { id: string; end: { reason: string } }[] = await ended()
    expect(items.map(({ id }) => id)).to.have.members(ids)
    expect(items.filter(({ end }) => end.reason === 'first')).to.have.lengthOf(23)
    const events = (await deployment.events(before + 41)).slice(before)
    const names = events.map(({ name, id }) => (name.endsWith('ended') ? id : name))
    expect(names).to.have.members([...ids, 'impersonation.denied'])
  })
})
