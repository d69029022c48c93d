import { expect } from 'chai'
import { later } from '../support/clock.ts'
import { basic } from '../support/deployment.ts'
import { REFUSED } from '../support/http.ts'
import { type Managed, managing, RESOURCE } from '../support/managing.ts'

describe('POST …/impersonations/{id}/end', () => {
  let deployment: Managed
  before(async () => {
    deployment = await managing()
  })
  after(() => deployment.close())

  it('again is 200, and the first end stays: by whom, why, when', async () => {
    const { id } = await deployment.start()
    const before = (await deployment.events()).length
    const how = { by: { sub: 'olivia' }, cause: 'user', reason: 'first' }
    const first = await deployment.send(`/${id}/end`, how)
    expect(first.headers.get('cache-control')).to.equal('no-store')
    {
      using _ = later(5000)
      for (const other of [{ by: { sub: 'eve' }, cause: 'policy', reason: 'second' }, {}]) {
        const again = await deployment.send(`/${id}/end`, other)
        expect([again.status, again.body]).to.deep.equal([200, first.body])
      }
    }
    const { at } = first.body.end
    expect(first.body.end).to.deep.equal({ at, ...how })
    const events = (await deployment.events()).slice(before)
    expect(events.map(({ name }) => name)).to.deep.equal(['impersonation.ended'])
  })

  it('many at once: one end, one event, and one and the same answer', async () => {
    const { id } = await deployment.start()
    const before = (await deployment.events()).length
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        deployment.send(`/${id}/end`, { reason: `number ${at}` }),
      ),
    )
    const [{ body }] = answers as [(typeof answers)[0]]
    expect(answers.map((each) => [each.status, each.body])).to.deep.equal(
      answers.map(() => [200, body]),
    )
    const events = (await deployment.events()).slice(before)
    expect(events.map((event) => [event.name, event.end])).to.deep.equal([
      ['impersonation.ended', body.end],
    ])
  })

  it('the body may be left out', async () => {
    for (const body of [undefined, {}, '{}']) {
      const { id } = await deployment.start()
      const answer = await deployment.send(`/${id}/end`, body)
      expect([answer.status, answer.body.end.cause]).to.deep.equal([200, 'requested'])
      expect(answer.body.end).to.have.all.keys('at', 'cause')
    }
  })

  it('400, 413, 415 for a body that is no way to end, naming it, and nothing has ended', async () => {
    const { id } = await deployment.start()
    const bad: Array<[named: string, ...bodies: unknown[]]> = [
      ['reasn is not known', { reasn: 'x' }],
      ['userId is not known', { userId: 'alice' }],
      ['is not known', { '': 1 }, { '\n"x': 1 }],
      ['reason', { reason: '' }, { reason: 7 }, { reason: null }, { reason: 'x'.repeat(1025) }],
      ['reason', { reason: 'a\0b' }, '{"reason":"\\ud800"}'],
      [
        'cause',
        { cause: 'operator_signed_out' },
        { cause: 'replay' },
        { cause: 'x' },
        { cause: 1 },
      ],
      ['by must', { by: 'olivia' }, { by: null }, { by: ['olivia'] }],
      ['by.sub is required', { by: {} }],
      ['by must', { by: { sub: 'olivia', act: { sub: 'x' } } }],
      ['by.sub', { by: { sub: '' } }, { by: { sub: 7 } }, { by: { sub: 'x'.repeat(256) } }],
      ['by.sub', { by: { sub: 'oli\nvia' } }, { by: { sub: 'oli\u0085via' } }],
      ['JSON object', 'null', '"x"', '7', '{', '[]', '[{}]', '{"__proto__":{"by":1}}'],
    ]
    for (const [named, ...bodies] of bad) {
      for (const body of bodies) {
        const answer = await deployment.send(`/${id}/end`, body)
        const what = JSON.stringify(body)
        expect([answer.status, answer.body.error], what).to.deep.equal([400, 'invalid_request'])
        expect(answer.body.error_description, what)
          .to.include(named)
          .and.match(/^[\x20-\x7e]*$/)
      }
    }
    const large = await deployment.send(`/${id}/end`, { reason: 'x'.repeat(17_000) })
    expect(large.status).to.equal(413)
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-encoding': 'gzip' },
    ]) {
      expect((await deployment.send(`/${id}/end`, '{}', { headers })).status).to.equal(415)
    }
    expect((await deployment.get(`/${id}`)).body.state).to.equal('issued')
    expect(deployment.serverErrors).to.deep.equal([])
  })

  it('before the exchange: the subject token is as one that never was, and no replay', async () => {
    const { id, subjectToken } = await deployment.start({ context: { ticketId: 'SUP-1' } })
    await deployment.send(`/${id}/end`)
    const before = (await deployment.events()).length
    const refused = await deployment.exchange({ subject_token: subjectToken })
    const unknown = await deployment.exchange({ subject_token: 'unknown' })
    const shown = ({ status, body, headers }: typeof refused) => [
      status,
      body,
      [...headers].filter(([name]) => name !== 'date'),
    ]
    expect(shown(refused)).to.deep.equal(shown(unknown))
    expect([refused.status, refused.body]).to.deep.equal([400, REFUSED])
    const [event, , ...more] = (await deployment.events()).slice(before)
    expect([event?.name, event?.id, event?.denial?.reason, more]).to.deep.equal([
      'impersonation.denied',
      id,
      'subject token is invalid: ended before it was redeemed',
      [],
    ])
  })

  it('after the exchange: an opaque token is inactive at once', async () => {
    const { id, subjectToken } = await deployment.start()
    const { body } = await deployment.exchange({
      subject_token: subjectToken,
      resource: `${deployment.base}/opaque`,
    })
    const introspect = async () =>
      (
        await deployment.post(
          '/oidc/token/introspection',
          { token: body.access_token },
          basic('web', 'web-secret'),
        )
      ).body
    const live = await introspect()
    expect(live).to.include({ active: true, impersonation_id: id, sub: 'alice' })
    await deployment.send(`/${id}/end`)
    expect(await introspect()).to.deep.equal({ active: false })
    expect((await deployment.get(`/${id}`)).body.state).to.equal('ended')
  })

  it('one that has expired does not end: it is shown as it is, without an event', async () => {
    const { id } = await deployment.start()
    const before = (await deployment.events()).length
    using _ = later(606_000)
    const token = await deployment.m2mToken({ resource: RESOURCE, scope: 'impersonations:end' })
    const { status, body } = await deployment.send(`/${id}/end`, {}, { token })
    expect([status, body.state, body.end]).to.deep.equal([200, 'expired', undefined])
    expect(await deployment.send('/end', { userId: 'alice', requestedBy: 'backend' }, { token }))
      .to.have.property('body')
      .deep.equal({ ended: 0 })
    expect((await deployment.events()).slice(before)).to.deep.equal([])
  })
})
