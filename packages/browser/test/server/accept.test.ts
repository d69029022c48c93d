import { expect } from 'chai'
import { expectRejection } from '../../../../test/adapters/servers.ts'
import { expectAnswer } from '../../../../test/support/http.ts'
import { shared } from '../../../../test/support/shared.ts'
import {
  bannerHtml,
  createImpersonations,
  type Impersonation,
  type ImpersonationStore,
  memoryStore,
} from '../../src/server.ts'
import { BACK_OFFICE, form, ORIGIN, startServerSide } from '../support/server-side.ts'

/** A store that keeps what was begun, and no session. */
function fullStore(): ImpersonationStore {
  const store = memoryStore()
  return {
    ...store,
    async set(id, value, expiresAtMs) {
      if (id.startsWith('impersonation:')) throw new Error('the disk is full')
      await store.set(id, value, expiresAtMs)
    },
  }
}

describe('accept on a server', () => {
  const side = shared(startServerSide)
  afterEach(() => {
    side.fetch = globalThis.fetch
    side.errors.length = 0
  })

  it('gives the impersonation to the pages, with what its token says', async () => {
    const olivia = await side.operator()
    // An answer that names another issuer is refused.
    const foreign = new URL(await olivia.callbackOf())
    foreign.searchParams.set('iss', 'https://evil.example')
    await expectAnswer(olivia.get(foreign.href), 400)
    expect(await olivia.current()).to.equal(undefined)
    const context = { ticket_id: 'SUP-123', reason: 'An order' }
    const answer = await olivia.handOver({ context })
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([303, `${ORIGIN}/orders`])
    const acting = await olivia.current()
    expect(acting).to.deep.include({
      userId: 'alice',
      actor: { sub: 'olivia' },
      ticket: 'SUP-123',
      scope: ['orders:read'],
      state: 'active',
      ending: undefined,
      isToBeReviewed: false,
      endPath: '/impersonation/end',
    })
    expect(acting?.context.impersonation_context).to.deep.equal(context)
    expect(acting?.accessToken.split('.')).to.have.lengthOf(3)
    expect(acting?.expiresAtMs).to.be.within(Date.now() + 3_500_000, Date.now() + 3_600_000)
  })

  it('sets cookies that no script reads and no other host sets, and no answer is cached', async () => {
    const olivia = await side.operator()
    const begun = await side.impersonations.accept(form(await side.subjectToken()))
    const done = await olivia.handOver()
    const lines = [begun, done].flatMap(({ headers }) => headers.getSetCookie())
    expect(lines).to.have.lengthOf(3)
    const id = /^__Host-impersonation(?:-begun)?=(?:[\w-]{43})?; Path=\/; /
    for (const line of lines) {
      expect(line)
        .to.match(id)
        .and.to.match(/; HttpOnly; Secure; SameSite=Lax$/)
      expect(line).not.to.include('Domain')
    }
    const seconds = lines.map((line) => Number(/Max-Age=(\d+)/.exec(line)?.[1]))
    // The cookie of the begun flow, its removal, and the impersonation with an hour after it.
    expect(seconds[0]).to.be.within(118, 120)
    expect(seconds[1]).to.equal(0)
    expect(seconds[2]).to.be.within(7100, 7200)
    for (const { headers } of [begun, done]) {
      expect(headers.get('cache-control')).to.equal('no-store')
    }
  })

  it('asks the provider with PKCE, state and nonce, and without a page', async () => {
    const answer = await side.impersonations.accept(form(await side.subjectToken()))
    const { searchParams } = new URL(String(answer.headers.get('location')))
    const { code_challenge, nonce, state, ...others } = Object.fromEntries(searchParams)
    for (const value of [code_challenge, nonce, state]) expect(value).to.match(/^[\w-]{43}$/)
    expect(others).to.deep.equal({
      client_id: 'shop',
      code_challenge_method: 'S256',
      prompt: 'none',
      redirect_uri: `${ORIGIN}/impersonation`,
      response_mode: 'query',
      response_type: 'code',
      scope: 'openid',
    })
  })

  it('takes one form of a back office, and reads 4,096 bytes of it at most', async () => {
    const token = await side.subjectToken()
    const post = async (body: string, type = 'application/x-www-form-urlencoded') => {
      const headers = { origin: BACK_OFFICE, 'content-type': type }
      const request = new Request(`${ORIGIN}/impersonation`, { method: 'POST', body, headers })
      return (await side.impersonations.accept(request)).status
    }
    expect(await post(`impersonation=${token}&more=${'x'.repeat(3000)}`)).to.equal(303)
    expect(await post(`impersonation=${token}&more=${'x'.repeat(4096)}`)).to.equal(400)
    expect(await post(`impersonation=${token}&impersonation=${token}`)).to.equal(400)
    expect(await post(`impersonation=${token}`, 'text/plain')).to.equal(400)
    expect(await post(JSON.stringify({ impersonation: token }), 'application/json')).to.equal(400)
    expect(await post('')).to.equal(400)
    for (const method of ['HEAD', 'PUT']) {
      const request = new Request(`${ORIGIN}/impersonation?code=x&state=y`, { method })
      const answer = await side.impersonations.accept(request)
      expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'GET, POST'])
    }
  })

  it('says so where other code has read the body, or the stream of it', async () => {
    const headers = {
      origin: BACK_OFFICE,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '1',
    }
    const post = (body: BodyInit) =>
      new Request(`${ORIGIN}/impersonation`, { method: 'POST', body, headers })
    const read = form('x'.repeat(43))
    await read.text()
    // The second is as `express.urlencoded()` leaves it.
    for (const request of [read, post('')]) {
      await expectRejection(side.impersonations.accept(request), TypeError, 'was read before')
    }
    // Half a character is something.
    for (const body of [Uint8Array.of(0xc3), '\ufeff']) {
      await expectAnswer(side.impersonations.accept(post(body)), 400)
    }
  })

  it('says that the provider does not answer, before it keeps anything, and finds it again', async () => {
    const store = memoryStore()
    const kept: string[] = []
    await using other = await startServerSide({
      store: {
        ...store,
        set(id, ...rest) {
          kept.push(id)
          return store.set(id, ...rest)
        },
      },
    })
    other.fetch = async () => Promise.reject(new TypeError('away'))
    const answer = await other.impersonations.accept(form('x'.repeat(43)))
    expect(answer.status).to.equal(502)
    expect(await answer.text()).to.include('The sign-in service did not answer.')
    expect(kept).to.deep.equal([])
    expect(other.codes()).to.deep.equal(['unreachable'])
    other.fetch = globalThis.fetch
    const olivia = await other.operator()
    await expectAnswer(olivia.handOver(), 303)
  })

  it('tells the application, and not the operator, that the secret is wrong', async () => {
    await using other = await startServerSide({ clientSecret: 'another-secret' })
    const olivia = await other.operator()
    const token = await other.subjectToken()
    const answer = await olivia.get(await olivia.callbackOf(token))
    expect(answer.status).to.equal(502)
    const text = await answer.text()
    expect(text).to.include('Tell the team that runs the application.')
    expect(text).not.to.include('invalid_client')
    const [error] = other.errors
    expect(error?.code).to.equal('misconfigured')
    expect(String(error?.cause)).to.include('invalid_client')
    expect(String(error?.cause)).not.to.include('secret').and.not.to.include(token)
  })

  it('I14: ends at the provider what the store does not keep, or tells the application', async () => {
    await using other = await startServerSide({ store: fullStore() })
    const olivia = await other.operator()
    const fail = async () => {
      const callback = await olivia.callbackOf()
      await expectRejection(olivia.get(callback), 'the disk is full')
    }
    await fail()
    const { items } = await other.deployment.provider.impersonation.list({})
    expect(items.map(({ state }) => state)).to.deep.equal(['ended'])
    expect(other.errors).to.deep.equal([])
    other.fetch = async (input, init) =>
      new Request(input).url.endsWith('/end')
        ? new Response(null, { status: 503 })
        : fetch(input, init)
    await fail()
    expect(other.codes()).to.deep.equal(['unreachable'])
  })

  it('tells the application that the provider wants to ask for consent', async () => {
    await using other = await startServerSide()
    const olivia = await other.operator()
    const callback = new URL(await olivia.callbackOf())
    callback.searchParams.delete('code')
    callback.searchParams.set('error', 'consent_required')
    const answer = await olivia.get(callback.href)
    expect(await answer.text()).to.include('wants to ask you for consent')
    expect(other.codes()).to.deep.equal(['consent_required'])
  })

  it('begins after an impersonation that was ended elsewhere, also where no page knows of the end', async () => {
    const olivia = await side.operator()
    await olivia.handOver()
    const old = olivia.cookie
    await side.deployment.endAll()
    await olivia.expectState('active')
    const answer = await olivia.handOver({ userId: 'bob' })
    expect(answer.status).to.equal(303)
    expect((await olivia.current())?.userId).to.equal('bob')
    const copy = { headers: new Headers({ cookie: old }) }
    expect(await side.impersonations.current(copy)).to.equal(undefined)
  })

  it('answers what the operator reads in the look of the application', async () => {
    let last: Impersonation | undefined
    await using other = await startServerSide({
      respond({ code, text, status, impersonation }, request) {
        last = impersonation
        const { userId: of } = impersonation ?? {}
        const banner = impersonation && bannerHtml(impersonation)
        const language = request.headers.get('lang')
        return Response.json({ code, text, of, language, banner }, { status })
      },
    })
    const refused = await other.impersonations.accept(
      form('x'.repeat(43), { origin: 'https://evil.example', lang: 'de' }),
    )
    expect([refused.status, refused.headers.get('cache-control')]).to.deep.equal([403, 'no-store'])
    expect(await refused.json()).to.deep.equal({
      code: 'foreign_form',
      text: 'This page is opened from the back office.',
      language: 'de',
    })
    const olivia = await other.operator()
    await olivia.handOver()
    const again = await olivia.handOver({ userId: 'bob' })
    expect(again.headers.getSetCookie()).to.have.lengthOf(1)
    expect(await again.json()).to.include({ code: 'already_acting', of: 'alice' })
    const token = (await olivia.current())?.accessToken
    const ended = Object(await (await olivia.end()).json())
    expect(ended).to.include({
      code: 'ended',
      text: 'Acting has ended. \u2068olivia\u2069 acted as \u2068alice\u2069.',
    })
    expect(ended.banner).to.include('olivia</bdi> acted as').and.to.include('You ended it.')
    expect([last?.state, last?.accessToken]).to.deep.equal(['ended', ''])
    const asked = await fetch(`${other.deployment.issuer}/impersonations/current`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(Object(await asked.json()).end).to.deep.equal(last?.ending)
  })

  it('shows who acts where the token is opaque', async () => {
    await using other = await startServerSide(
      { resource: 'https://opaque.example.com' },
      {
        resources: {
          'https://opaque.example.com': { scope: 'orders:read', accessTokenFormat: 'opaque' },
        },
      },
    )
    const olivia = await other.operator()
    await expectAnswer(olivia.handOver(), 303)
    const acting = await olivia.current()
    expect(acting).to.deep.include({ userId: undefined, actor: { sub: 'olivia' }, context: {} })
    await expectAnswer(olivia.end(), 200)
  })
})

describe('createImpersonations', () => {
  const options = {
    // http is taken of this machine.
    issuer: 'http://localhost:3000/oidc',
    clientId: 'shop',
    clientSecret: 'secret',
    redirectUri: `${ORIGIN}/impersonation`,
    resource: 'https://api.example.com',
    scope: 'orders:read',
    from: 'https://support.example.com',
    store: memoryStore(),
  }

  for (const [name, wrong] of Object.entries({
    issuer: { issuer: 'http://id.example.com' },
    redirectUri: { redirectUri: '/impersonation' },
    clientId: { clientId: '' },
    scope: { scope: '' },
    resource: { resource: '' },
    from: { from: ['support.example.com'] },
    'from ': { from: [] },
    next: { next: '//evil.example/' },
    'next ': { next: 'https://evil.example/' },
    endPath: { endPath: 'end' },
    origins: { origins: ['http://api.example.com'] },
    clientSecret: { clientSecret: '' },
    clientAuth: { clientAuth: () => {} },
  })) {
    it(`refuses a wrong ${name}, by its name`, () => {
      expect(() => createImpersonations({ ...options, ...wrong })).to.throw(TypeError, name.trim())
    })
  }

  it('refuses a store that lacks a function', () => {
    const store = { get: () => undefined, set() {} }
    // @ts-expect-error a store deletes, too
    expect(() => createImpersonations({ ...options, store })).to.throw(TypeError, 'store.delete')
    createImpersonations(options)
  })
})
