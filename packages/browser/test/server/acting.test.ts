import { expect } from 'chai'
import { expectRejection } from '../../../../test/adapters/servers.ts'
import { expectAnswer } from '../../../../test/support/http.ts'
import { shared } from '../../../../test/support/shared.ts'
import { type MovedClock, movedClock } from '../../../console/test/e2e/support/moved-clock.ts'
import { bannerHtml } from '../../src/server.ts'
import { ORIGIN, startServerSide } from '../support/server-side.ts'

/** A guard of an API knows of an end that long after it. */
const GUARD_KNOWS_MS = 8000

describe('an impersonation on a server', () => {
  let clock: MovedClock
  const side = shared(startServerSide)
  before(async () => {
    // Never back: the provider keeps a status list for some seconds.
    clock = movedClock()
  })
  after(async () => {
    clock[Symbol.dispose]()
  })
  afterEach(() => {
    side.fetch = globalThis.fetch
    side.errors.length = 0
  })

  async function acting() {
    const olivia = await side.operator()
    await olivia.handOver()
    const impersonation = await olivia.current()
    if (!impersonation) throw new Error('nobody acts')
    return { olivia, impersonation }
  }

  it('calls the API as the customer, without a cache', async () => {
    const { impersonation } = await acting()
    const caches: unknown[] = []
    side.fetch = (input, init) => {
      caches.push(init?.cache)
      return fetch(input, init)
    }
    const answer = await impersonation.fetch(`${side.api}/orders`)
    expect(await answer.text()).to.equal('orders of alice')
    expect(caches).to.deep.equal(['no-store'])
  })

  it('sends the token to no other origin, and follows no redirect', async () => {
    const { impersonation } = await acting()
    const sent: string[] = []
    side.fetch = (input, init) => {
      sent.push(new Request(input).url)
      return fetch(input, init)
    }
    await expectRejection(impersonation.fetch('https://evil.example/'), TypeError)
    expect(sent).to.deep.equal([])
    await expectAnswer(impersonation.fetch(`${side.api}/elsewhere`), 302)
    expect(sent).to.deep.equal([`${side.api}/elsewhere`])
  })

  it('has ended once the API refuses the token, for the requests after it, too', async () => {
    const { olivia, impersonation } = await acting()
    await side.deployment.provider.impersonation.endAll({ userId: 'alice' }, { cause: 'user' })
    clock.by(GUARD_KNOWS_MS)
    await expectAnswer(impersonation.fetch(`${side.api}/orders`), 401)
    for (const each of [impersonation, await olivia.current()]) {
      expect(each?.state).to.equal('ended')
      expect(each?.accessToken).to.equal('')
      expect(each?.ending?.cause).to.equal('user')
    }
    await expectRejection(impersonation.fetch(`${side.api}/orders`), 'the impersonation is over')
    expect(bannerHtml(impersonation)).to.include('olivia</bdi> acted as').and.to.include('Close')
    // The button leads back to the application, without the cookie.
    const closed = await olivia.end()
    expect([closed.status, closed.headers.get('location')]).to.deep.equal([303, `${ORIGIN}/orders`])
    expect(olivia.cookie).to.equal('')
  })

  it('is ended at the provider, too, where an API refuses the token for another reason', async () => {
    const { impersonation } = await acting()
    await expectAnswer(impersonation.fetch(`${side.api}/another-sign-in`), 401)
    expect(impersonation.state, 'another sign-in is no end').to.equal('active')
    let isAway = false
    side.fetch = async (input, init) => {
      if (new Request(input).url.startsWith(side.api)) return new Response(null, { status: 401 })
      return isAway ? new Response(null, { status: 503 }) : fetch(input, init)
    }
    await impersonation.fetch(`${side.api}/orders`)
    expect(impersonation.state).to.equal('ended')
    const id = String(impersonation.context.jti).replace('impersonation:', '')
    const found = await side.deployment.provider.impersonation.get(id)
    expect(found?.state).to.equal('ended')
    // The application is told if that cannot be done.
    const other = await acting()
    isAway = true
    await other.impersonation.fetch(`${side.api}/orders`)
    expect(other.impersonation.state).to.equal('ended')
    expect(side.codes()).to.deep.equal(['unreachable'])
  })

  it('is expired when its time has passed, and gives no token', async () => {
    const { olivia, impersonation } = await acting()
    clock.by(3_601_000)
    for (const each of [impersonation, await olivia.current()]) {
      expect([each?.state, each?.accessToken]).to.deep.equal(['expired', ''])
    }
    expect(bannerHtml(impersonation)).to.include('The time is over.')
    clock.by(3_600_000)
    expect(await olivia.current()).to.equal(undefined)
  })

  it('is ended by forget, as in a sign-out, and the cookie is gone', async () => {
    const { olivia, impersonation } = await acting()
    const { accessToken } = impersonation
    const request = { headers: new Headers({ cookie: olivia.cookie }) }
    const headers = await side.impersonations.forget(request)
    expect(headers.getSetCookie()).to.have.lengthOf(1)
    olivia.keep(headers)
    expect(olivia.cookie).to.equal('')
    expect(await side.impersonations.current(request)).to.equal(undefined)
    clock.by(GUARD_KNOWS_MS)
    const answer = await fetch(`${side.api}/orders`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    expect(answer.status).to.equal(401)
    // No cookie is removed if nobody acts.
    expect([...(await side.impersonations.forget(request))]).to.deep.equal([])
    // It is forgotten also where the provider is away, which the application is told.
    const other = await acting()
    side.fetch = async () => Promise.reject(new TypeError('away'))
    const away = { headers: new Headers({ cookie: other.olivia.cookie }) }
    expect((await side.impersonations.forget(away)).getSetCookie()).to.have.lengthOf(1)
    expect(await side.impersonations.current(away)).to.equal(undefined)
    expect(side.codes()).to.deep.equal(['unreachable'])
  })

  it('goes on where the provider, or a gateway, does not end it, and is ended by the next try', async () => {
    const { olivia } = await acting()
    for (const status of [503, 200, 302, 401]) {
      side.fetch = async () => new Response('<!doctype html>', { status })
      const failed = await olivia.end()
      expect(failed.status).to.equal(502)
      expect(await failed.text())
        .to.include('You still act')
        .and.to.include('<button>End</button>')
      await olivia.expectState('active')
      expect(side.codes()).to.deep.equal(['unreachable'])
      side.errors.length = 0
    }
    side.fetch = globalThis.fetch
    await expectAnswer(olivia.end(), 200)
    // A second click on the button of the same page.
    await expectAnswer(olivia.end(), 303)
  })

  for (const how of ['end', 'forget'] as const) {
    it(`stays removed where ${how} comes while the API refuses the token`, async () => {
      const { olivia, impersonation } = await acting()
      const { cookie } = olivia
      const request = { headers: new Headers({ cookie }) }
      let isOver = false
      side.fetch = async (input, init) => {
        const { url } = new Request(input)
        if (url.startsWith(side.api)) return new Response(null, { status: 401 })
        if (url.endsWith('/current') && !isOver) {
          isOver = true
          if (how === 'end') await olivia.end()
          else await side.impersonations.forget(request)
        }
        return fetch(input, init)
      }
      await impersonation.fetch(`${side.api}/orders`)
      expect(isOver).to.equal(true)
      expect(impersonation.state).to.equal('ended')
      expect(await side.impersonations.current(request)).to.equal(undefined)
    })
  }

  it('cannot be ended by GET', async () => {
    const { olivia } = await acting()
    const headers = { cookie: olivia.cookie, origin: ORIGIN }
    const answer = await side.impersonations.end(new Request(`${ORIGIN}/end`, { headers }))
    expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'POST'])
    await olivia.expectState('active')
  })

  it('is found by its own cookie alone, whatever stands in others', async () => {
    const { olivia } = await acting()
    const [, id] = /__Host-impersonation=([\w-]+)/.exec(olivia.cookie) ?? []
    for (const cookie of [
      `theme=dark,__Host-impersonation=${id}`,
      `__Host-impersonation-begun=${id}`,
      `__Host-impersonation=${id}x`,
      `__Host-impersonation=../${id}`,
      // A sub-domain sets it: with another space in front, browsers know no `__Host-`.
      `theme=dark; \u00A0__Host-impersonation=${id}`,
      `theme=dark; \u2003__Host-impersonation=${id}`,
    ]) {
      // Some servers read headers as UTF-8, which `Headers` does not hold.
      const request = { headers: { get: () => cookie } }
      expect(await side.impersonations.current(request), cookie).to.equal(undefined)
    }
    const request = { headers: new Headers({ cookie: `theme=dark; __Host-impersonation=${id}` }) }
    expect((await side.impersonations.current(request))?.userId).to.equal('alice')
  })
})

describe('the banner of a server', () => {
  it('shows the names of the application, as text', async () => {
    await using side = await startServerSide()
    const olivia = await side.operator()
    await olivia.handOver({ context: { ticket_id: '<i>\u202E"' } })
    const impersonation = await olivia.current()
    if (!impersonation) throw new Error('nobody acts')
    const html = bannerHtml(impersonation, {
      userName: 'Alice <Ng>',
      actorName: '\u202EOlivia & Co.',
      changes: true,
      texts: {
        who: ({ actorName, userName }) => `${actorName} handelt als ${userName} <hier>`,
        until: ({ expiresAtMs }) => `Bis ${expiresAtMs}`,
        end: 'Beenden',
      },
    })
    expect(html).to.include('<bdi>Olivia &amp; Co.</bdi> handelt als <bdi>Alice &lt;Ng&gt;</bdi>')
    expect(html).to.include('&lt;hier&gt;').and.to.include('Ticket <bdi>&lt;i&gt;&quot;</bdi>')
    expect(html).to.include('Look and change').and.to.include('<button>Beenden</button>')
    expect(html).to.include(`Bis ${impersonation.expiresAtMs}`)
    expect(html).not.to.match(/\u202E|<i>|<hier>/)
  })

  it('says that it will be reviewed', async () => {
    await using side = await startServerSide(
      {},
      { impersonation: { authorize: async () => ({ review: 'an emergency' }) } },
    )
    const olivia = await side.operator()
    await olivia.handOver()
    const impersonation = await olivia.current()
    expect(impersonation?.isToBeReviewed).to.equal(true)
    expect(impersonation && bannerHtml(impersonation)).to.include('Will be reviewed')
  })
})
