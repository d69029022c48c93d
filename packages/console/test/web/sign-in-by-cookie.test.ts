import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'chai'
import express from 'express'
import { serving } from '../../../../test/support/serving.ts'
import { renewed, shared } from '../../../../test/support/shared.ts'
import { over, recordPast } from '../features/personal-data/person.ts'
import { later } from '../support/clock.ts'
import { deploy } from '../support/deployment.ts'
import { expectStatus } from '../support/expect-answer.ts'
import { quietly } from '../support/quietly.ts'

// The package compiles its views when it is loaded.
const { STAFF_TABLE } = await import('../../src/console-site.ts')
const { providerInProcess } = await import('../../src/web/sign-in/in-process.ts')
const { cookiePlace, writeCookie } = await import('../../src/web/sign-in/cookie.ts')

const QUESTION = '/rules?operator=olivia&userId=alice'

/** An impersonation of alice was over long ago: what there is of her can be erased. */
async function withPast() {
  const deployment = await deploy({ console: { mayErase: () => true } })
  await recordPast(deployment.audit, ...over('a', 'alice'))
  return deployment
}

/** A browser that keeps cookies, and follows no redirect by itself. */
function browser() {
  const jar = new Map<string, string>()
  const written: string[] = []
  return {
    jar,
    /** Every `Set-Cookie` so far. */
    written,
    async go(url: string, init: RequestInit = {}) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(url, {
        redirect: 'manual',
        ...init,
        headers: { accept: 'text/html', cookie, ...init.headers },
      })
      for (const line of response.headers.getSetCookie()) {
        written.push(line)
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (value === '') jar.delete(name)
        else jar.set(name, value)
      }
      return response
    },
  }
}

const locationOf = (response: Response) => new URL(response.headers.get('location') ?? '')

describe('the sign-in to the pages', () => {
  const deployment = shared(() => deploy({ console: { mayErase: () => true } }))

  /** Signs in, and answers where the person is in the end. */
  async function signIn({ go }: ReturnType<typeof browser>, path: string, person = 'grace') {
    const begun = locationOf(await go(deployment.consoleUrl + path))
    begun.searchParams.set('login_hint', person)
    let next = begun.href
    for (let hop = 0; hop < 8 && !next.startsWith(`${deployment.consoleUrl}/callback`); hop += 1) {
      next = new URL((await go(next)).headers.get('location') ?? '', next).href
    }
    return { callback: next, back: await go(next) }
  }

  it('is the code flow with PKCE, and leads to where the person wanted to go', async () => {
    const person = browser()
    const { callback, back } = await signIn(person, QUESTION)
    expect(back.status).to.equal(303)
    expect(back.headers.get('location')).to.equal(`/console${QUESTION}`)
    const [begun] = person.written.filter((line) => line.startsWith('support-'))
    expect(begun).to.match(
      /^support-console-state-.*; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax$/,
    )
    const kept = person.written.find((line) => line.startsWith('support-console='))
    expect(kept).to.match(/; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
    expect([...person.jar.keys()].filter((name) => name.startsWith('support-'))).to.deep.equal([
      'support-console',
    ])
    const page = await person.go(deployment.consoleUrl + QUESTION)
    expect(await page.text()).to.include('Yes, for')
    // The answer of the provider is good once, and in the browser that asked.
    const again = await browser().go(callback)
    expect(again.headers.getSetCookie()).to.deep.equal([])
  })

  it('asks the provider without showing anything first, at the first page alone', async () => {
    const { go } = browser()
    const asked = locationOf(await go(`${deployment.consoleUrl}/rules`)).searchParams
    expect(asked.get('prompt')).to.equal(null)
    expect(asked.get('code_challenge_method')).to.equal('S256')
    expect(asked.get('response_mode')).to.equal('query')
  })

  it('takes only the answer that this browser asked for; says why nobody is signed in, and never loops', async () => {
    const { go } = browser()
    const stateOf = async () =>
      locationOf(await go(`${deployment.consoleUrl}/rules`)).searchParams.get('state') ?? ''
    const backWith = async (answer: Record<string, string>) => {
      const query = new URLSearchParams({ iss: deployment.issuer, ...answer })
      return (await go(`${deployment.consoleUrl}/callback?${query}`)).headers.get('location')
    }
    const at = (why: string, to = '') => `/console/sign-in?${new URLSearchParams({ why, to })}`
    const denied = await backWith({ state: await stateOf(), error: 'access_denied' })
    expect(denied).to.equal(at('cancelled', '/rules'))
    const mixed = { state: await stateOf(), code: 'c', iss: 'https://other.example' }
    expect(await backWith(mixed)).to.equal(at('refused', '/rules'))
    for (const planted of [{ code: 'c', state: 'x'.repeat(43) }, { code: 'c' }, {}]) {
      expect(await backWith(planted)).to.equal(at('elsewhere'))
    }
    const door = await go(`${deployment.url}${denied}`)
    expect(await door.text()).to.include('The sign-in was cancelled.')
  })

  it('leads nowhere but below its own path', async () => {
    for (const to of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      'evil',
      '/a\nb',
    ]) {
      const person = browser()
      const query = new URLSearchParams({ to })
      const begun = locationOf(await person.go(`${deployment.consoleUrl}/enter?${query}`))
      const [name = '', value = ''] = [...person.jar][0] ?? []
      expect(value, to).to.match(/\.$/)
      // Nor by a cookie that somebody else wrote.
      person.jar.set(name, `v.${Buffer.from(to).toString('base64url')}`)
      const state = begun.searchParams.get('state') ?? ''
      const answer = new URLSearchParams({ state, error: 'access_denied', iss: deployment.issuer })
      const back = await person.go(`${deployment.consoleUrl}/callback?${answer}`)
      expect(back.headers.get('location'), to).to.equal('/console/sign-in?why=cancelled&to=')
    }
  })

  it('refuses two cookies of one name: a sibling domain can plant one', async () => {
    const token = await deployment.tokenOf('grace')
    for (const cookie of [
      `support-console=${token}; support-console=planted`,
      `support-console=planted; support-console=${token}`,
    ]) {
      expectStatus(await deployment.browse('grace', '/rules', { cookie }), 400)
      expectStatus(await deployment.send('grace', '/sign-out', {}, { cookie }), 400)
    }
  })

  it('takes no token but one of the console, that lives, in person', async () => {
    const other = await deployment.signIn('grace', { clientId: 'other' })
    for (const token of [other.accessToken, 'nothing']) {
      const cookie = `support-console=${token}`
      const { status, headers } = await deployment.browse('grace', '/rules', { cookie })
      expect([status, headers.get('location')?.startsWith(deployment.issuer)]).to.deep.equal([
        303,
        true,
      ])
    }
  })

  it('writes the cookie for https by the option url, so that no page of a sibling domain can plant it', () => {
    const place = cookiePlace('support-console', 'https://id.example.com')
    const written: string[] = []
    const ctx = { append: (_name: string, line: string) => written.push(line) }
    writeCookie(ctx as never, place, 'token', 60)
    // RFC 6265bis: a browser takes this prefix with Secure and Path=/ alone, and without Domain.
    expect(written).to.deep.equal([
      '__Host-support-console=token; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
    ])
  })

  it('keeps some twenty sign-ins that are under way, and forgets the oldest', async () => {
    const { go, jar } = browser()
    for (let tab = 0; tab < 30; tab += 1) await go(`${deployment.consoleUrl}/rules`)
    const states = [...jar.keys()].filter((name) => name.startsWith('support-console-state-'))
    expect(states.length).to.be.within(18, 25)
  })

  it('has cookies that browsers keep and servers take, however long the addresses are', async () => {
    const { go, jar } = browser()
    const lengthOf = () => [...jar].reduce((sum, pair) => sum + pair.join('=').length, 0)
    for (const length of [900, 1900, 2100, 9000]) {
      for (let tab = 0; tab < 8; tab += 1) {
        const known = new Set(jar.keys())
        await go(`${deployment.consoleUrl}/enter?to=/${'a'.repeat(length)}`)
        const [begun] = [...jar].filter(([name]) => !known.has(name))
        expect(begun?.join('=').length, `${length}`).to.be.below(4096)
        // Node.js takes 16 KB of headers. The account page has as many.
        expect(lengthOf(), `${length}`).to.be.below(7000)
      }
    }
  })

  it('is renewed near its end, at the provider, without showing anything', async () => {
    // It is due when a third of its life is left.
    await using short = await deploy({ accessTokenTtl: 60 })
    expectStatus(await short.browse('grace', '/rules'), 200)
    const due = await later(42_000, () => short.browse('grace', '/rules'))
    expectStatus(due, 303)
    expect(new URL(due.headers.get('location') ?? '').searchParams.get('prompt')).to.equal('none')
  })

  it('ends what runs, the grant and the token, and leaves by the sign-out of the provider', async () => {
    await using own = await deploy()
    const running = await own.impersonate()
    const token = await own.tokenOf('olivia')
    const { status, headers } = await own.send('olivia', '/sign-out')
    expect(status).to.equal(303)
    const to = new URL(headers.get('location') ?? '')
    expect(to.origin + to.pathname).to.equal(`${own.issuer}/session/end`)
    expect(to.searchParams.get('post_logout_redirect_uri')).to.equal(own.consoleUrl)
    const [, claims = ''] = to.searchParams.get('id_token_hint')?.split('.') ?? []
    const hint = JSON.parse(Buffer.from(claims, 'base64url').toString())
    expect(hint).to.include({ sub: 'olivia' })
    expect(hint.auth_time, 'by which the provider knows its session').to.be.a('number')
    expectStatus(await fetch(to), 200)
    expect(headers.getSetCookie().join()).to.include('support-console=; Path=/; Max-Age=0')
    expect(await own.provider.AccessToken.find(token)).to.equal(undefined)
    expect((await own.provider.impersonation.get(running.id))?.state).to.equal('ended')
  })

  it('stays if what runs cannot be ended: the person can try again', async () => {
    await using own = await deploy()
    own.provider.impersonation.endAll = () => Promise.reject(new Error('out of order'))
    const { status, headers } = await own.send('olivia', '/sign-out')
    expect([status, headers.getSetCookie()]).to.deep.equal([503, []])
    expectStatus(await own.browse('olivia', '/audit'), 200, 'still signed in')
  })

  it('tells a stream and a script that the sign-in is over, and leads them nowhere', async () => {
    const cookie = 'support-console=over'
    const headers = { cookie, accept: 'text/event-stream' }
    expectStatus(await deployment.browse('grace', '/stream', headers), 401)
  })

  it('is a 503 if the provider breaks off or does not answer', async () => {
    await using own = await deploy()
    let isBroken = true
    own.provider.use(async (ctx, next) => {
      if (ctx.path !== '/token') return next()
      ctx.respond = false
      ctx.res.writeHead(200, { 'content-length': 100 })
      if (isBroken) ctx.res.write('{', () => ctx.res.destroy())
    })
    const { go } = browser()
    const begun = locationOf(await go(`${own.consoleUrl}/rules`))
    const state = begun.searchParams.get('state') ?? ''
    const answer = new URLSearchParams({ state, code: 'c', iss: own.issuer })
    expectStatus(await go(`${own.consoleUrl}/callback?${answer}`), 503)
    isBroken = false
    const ask = providerInProcess(own.provider)
    const late = await ask('/token', new URLSearchParams(), AbortSignal.timeout(50)).catch(
      (error: Error) => error.name,
    )
    expect(late).to.be.oneOf(['AbortError', 'TimeoutError'])
  })

  it('redeems the code in the process: nothing has to listen at the address of the issuer', async () => {
    const { Provider } = await import('oidc-provider-impersonation')
    await quietly(async () => {
      const provider = new Provider('https://id.unreachable.invalid/oidc', {
        features: { clientCredentials: { enabled: true } },
        clients: [
          {
            ...{ client_id: 'm', client_secret: 'secret', redirect_uris: [], response_types: [] },
            grant_types: ['client_credentials'],
          },
        ],
      })
      const ask = providerInProcess(provider)
      const form = { grant_type: 'client_credentials', client_id: 'm', client_secret: 'secret' }
      const response = await ask('/token', new URLSearchParams(form))
      expect(response.status).to.equal(200)
      expect(await response.json()).to.have.property('access_token')
    })
  })
})

describe('a form of the pages', () => {
  const ERASE = '/personal-data/alice/erase'
  const deployment = renewed(withPast)

  const requests = async () => (await deployment.read('grace', '/personal-data')).requests.length

  it('is taken from the same origin alone, for every action of the table', async () => {
    const actions = STAFF_TABLE.filter(({ method }) => method === 'POST').map(({ path }) => path)
    expect(actions.length).to.be.greaterThan(1)
    for (const path of [...actions, '/sign-out']) {
      const action = path.replace(':id', 'alice')
      for (const foreign of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        { 'sec-fetch-site': 'cross-site', origin: 'null' },
        { 'sec-fetch-site': '' },
        { 'sec-fetch-site': '', origin: 'null' },
        { 'sec-fetch-site': '', origin: 'https://evil.example' },
      ]) {
        const { status, text } = await deployment.send('grace', action, {}, foreign)
        expect(status, `${path} ${JSON.stringify(foreign)}`).to.equal(403)
        expect(text).to.include('another site')
      }
    }
    // The origin is enough for an old browser, and for WebKit in a new tab. A bearer token needs none.
    for (const site of ['', 'cross-site']) {
      const ours = { 'sec-fetch-site': site, origin: deployment.url }
      const { status } = await deployment.send('grace', ERASE, { note: 'DPO-1' }, ours)
      expect(status, site).not.to.equal(403)
    }
    expect(await requests()).to.equal(1)
    const foreign = { 'sec-fetch-site': 'cross-site' }
    expectStatus(await deployment.ask('ada', '/personal-data', undefined, foreign), 200)
  })

  it('and an export are begun by no other site: the audit says that the person exported', async () => {
    const exports = STAFF_TABLE.filter(({ path }) => /^\/(?:audit|personal-).*\.\w+$/.test(path))
    const [{ id } = { id: '' }] = (await deployment.read('grace', '/audit')).rows
    for (const { path } of exports) {
      const to = path.replace(':id', path.startsWith('/audit') ? id : 'alice')
      const begin = async (site: string) =>
        (await deployment.browse('grace', to, { 'sec-fetch-site': site })).status
      expect(await begin('cross-site'), path).to.equal(403)
      expect(await begin('same-site'), path).to.equal(403)
      expect(await begin('same-origin'), path).to.equal(200)
    }
    expect(exports.length).to.be.greaterThan(3)
  })

  it('leads back to its page, which says what was done, once', async () => {
    const from = '/personal-data/alice'
    const { status, headers } = await deployment.send('grace', ERASE, { note: 'DPO-1', from })
    expect([status, headers.get('location')]).to.deep.equal([303, `/console${from}`])
    const [said = ''] = headers.getSetCookie()
    expect(said).to.match(/^support-console-said=askedToErase\.1; .*HttpOnly/)
    const cookie = `support-console=${await deployment.tokenOf('grace')}; ${said.split(';')[0]}`
    const page = await deployment.browse('grace', from, { cookie })
    expect(page.text).to.include('A second person who may erase can confirm it now.')
    expect(page.headers.getSetCookie().join()).to.include('support-console-said=; ')
    const forged = `support-console=${await deployment.tokenOf('grace')}; support-console-said=<b>.1`
    expect((await deployment.browse('grace', from, { cookie: forged })).text).not.to.include(
      '<b>.1',
    )
  })

  it('leads nowhere else, whatever page it says that it comes from', async () => {
    for (const from of ['//evil.example', 'https://evil.example', '/\\evil', 'javascript:1']) {
      await using own = await withPast()
      const { headers } = await own.send('grace', ERASE, { note: 'DPO-1', from })
      expect(headers.get('location'), from).to.equal('/console')
    }
  })

  it('that is refused comes back on a page, and never as a file or a stream', async () => {
    for (const from of ['/stream', '/me', '/audit/export.csv']) {
      const { status, headers } = await deployment.send('grace', ERASE, { from })
      expect([status, headers.get('content-type')], from).to.deep.equal([
        ...[400, 'text/html; charset=utf-8'],
      ])
    }
    const from = '/customers/alice'
    const { text } = await deployment.send('grace', '/running/nothing/end', { from })
    expect(text, 'not on a page of what the action is about').to.include('Alice')
  })

  it('that comes too late is kept, and can be sent again by the same person alone', async () => {
    const late = { cookie: 'support-console=over' }
    const { status, text } = await deployment.send('grace', ERASE, { note: 'DPO-1' }, late)
    expect(status).to.equal(401)
    expect(text).to.include('value="DPO-1"')
    expect(text).to.include(`action="/console${ERASE}"`)
    expect(text).to.match(/<input type="hidden" name="reader" value="grace"\/>/)
    expect(await requests()).to.equal(0)
    const other = await deployment.send('ada', ERASE, { note: 'DPO-1', reader: 'grace' })
    expect(other.status).to.equal(409)
    expect(await requests()).to.equal(0)
    expectStatus(await deployment.send('grace', ERASE, { note: 'DPO-1' }), 303)
    expect(await requests()).to.equal(1)
  })

  it('is no form that is too large, has a field twice, or is no form', async () => {
    const sent = async (body: string, type = 'application/x-www-form-urlencoded') =>
      (
        await fetch(`${deployment.consoleUrl}${ERASE}`, {
          method: 'POST',
          headers: {
            accept: 'text/html',
            cookie: `support-console=${await deployment.tokenOf('grace')}`,
            'sec-fetch-site': 'same-origin',
            'content-type': type,
          },
          body,
        })
      ).status
    expect(await sent(`note=${'x'.repeat(20_000)}`)).to.equal(413)
    expect(await sent('reader=grace&note=a&note=b')).to.equal(400)
    expect(await sent('note=%FF%FE', 'text/plain')).to.equal(415)
    expect(await sent('{"note":"a"}', 'application/json')).to.equal(415)
    expect(await requests()).to.equal(0)
  })

  it('that is too large leaves its connection to the next request', async () => {
    const socket = connect(Number(new URL(deployment.url).port), '127.0.0.1')
    const head = [
      ...[`POST /console${ERASE} HTTP/1.1`, 'Host: localhost', 'Accept: text/html'],
      'Sec-Fetch-Site: same-origin',
      ...['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 2000000', '', ''],
    ]
    let text = ''
    socket.setEncoding('utf8').on('data', (part) => {
      text += part
      // The next person, behind a proxy that keeps its connections.
      if (text === `${part}`) socket.write('GET /console/me HTTP/1.1\r\nHost: localhost\r\n\r\n')
      if (text.includes('HTTP/1.1 401')) socket.end()
    })
    socket.setTimeout(3000, () => socket.destroy())
    socket.write(head.join('\r\n') + 'x'.repeat(2_000_000))
    await once(socket, 'close')
    expect(text).to.match(/HTTP\/1.1 413.*HTTP\/1.1 401/s)
  })

  it('is read behind express.urlencoded(), too', async () => {
    const app = express()
    app.use(express.urlencoded({ extended: false }))
    app.use(deployment.console.callback())
    const listener: RequestListener = app
    await serving(
      () => listener,
      async (base) => {
        const response = await fetch(`${base}/console${ERASE}`, {
          method: 'POST',
          redirect: 'manual',
          headers: {
            cookie: `support-console=${await deployment.tokenOf('grace')}`,
            'sec-fetch-site': 'same-origin',
          },
          body: new URLSearchParams({ note: 'DPO-1', reader: 'grace', from: '' }),
        })
        expectStatus(response, 303)
        expect(await requests()).to.equal(1)
      },
    )
  })
})

describe('a page', () => {
  it('has nothing inline, takes no frame, and sends its origin with forms', async () => {
    await using deployment = await deploy()
    const { headers, text } = await deployment.browse('grace', '/rules')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).to.include("default-src 'none'")
    expect(policy).to.include("script-src 'self';")
    expect(policy).to.include(`form-action 'self' ${deployment.url} ${deployment.shopUrl};`)
    expect(policy).to.include("frame-ancestors 'none'")
    expect(policy).to.include("require-trusted-types-for 'script'")
    expect(policy).not.to.include('unsafe')
    expect(headers.get('referrer-policy')).to.equal('strict-origin')
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(text).not.to.match(/<script(?![^>]* src=)| style="| on\w+="/)
  })

  it('answers JSON to a bearer token, also beside a cookie', async () => {
    await using deployment = await deploy()
    const authorization = `Bearer ${await deployment.tokenOf('grace')}`
    const { body, headers } = await deployment.browse('olivia', '/rules', { authorization })
    expect(body.rules).to.deep.equal([null, null])
    expect(headers.get('x-content-type-options')).to.equal('nosniff')
  })

  it('leads each role to its pages, and to no others', async () => {
    const mayErase = ({ accountId }: { accountId: string }) => accountId !== 'ada'
    await using deployment = await deploy({ console: { mayErase } })
    for (const [who, expected] of [
      ['olivia', ['', '/audit', '/personal-data']],
      ['grace', ['', '/customers', '/audit', '/rules']],
      ['ada', ['', '/audit', '/rules']],
    ] as const) {
      const { text } = await deployment.browse(who, '/audit')
      const [head = ''] = /<nav.*?<\/nav>/s.exec(text) ?? []
      const links = [...head.matchAll(/href="\/console([^"]*)"/g)].map(([, path]) => path)
      expect(links, who).to.deep.equal(expected)
    }
  })

  it('is in the zone of the time zone cookie, and in UTC without a good one', async () => {
    await using deployment = await deploy({ console: { mayErase: () => true } })
    await deployment.impersonate()
    const token = `support-console=${await deployment.tokenOf('grace')}`
    const hourIn = async (zone: string) => {
      const cookie = `${token}; zone=${encodeURIComponent(zone)}`
      const { text } = await deployment.browse('grace', '/personal-data/alice', { cookie })
      return /<time[^>]*>[^<]*?(\d+):\d\d/.exec(text)?.[1]
    }
    const utc = await hourIn('UTC')
    expect(await hourIn('Asia/Kolkata')).not.to.equal(utc)
    for (const wrong of ['Mars/Olympus', '%', '<b>', '']) expect(await hourIn(wrong)).to.equal(utc)
    const broken = `${token}; zone=%FF`
    expectStatus(await deployment.browse('grace', '/rules', { cookie: broken }), 200)
  })
})
