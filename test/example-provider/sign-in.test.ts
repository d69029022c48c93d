import { expect } from 'chai'
import { authorizationUrl } from '../../example-provider/demo/commands.ts'
import { Cookies } from './cookies.ts'
import { type Answer, basic, type Example, postForm, send, signIn, start } from './support.ts'

describe('example provider: sign-in', () => {
  let example: Example

  before(async () => {
    example = await start()
  })
  after(() => example.close())

  async function begin(): Promise<{ cookies: Cookies; page: string }> {
    const cookies = new Cookies()
    const { status, headers } = await cookies.send(authorizationUrl(example.url))
    expect(status).to.equal(303)
    const page = new URL(headers.get('location') ?? '', example.url).href
    expect(page).to.match(/\/sign-in\/[\w-]+$/)
    return { cookies, page }
  }

  function target(answer: Answer): string {
    return new URL(answer.headers.get('location') ?? '', example.url).href
  }

  it('shows a form with login and password that needs no script', async () => {
    const { cookies, page } = await begin()
    const { status, headers, text } = await cookies.send(page)
    expect(status).to.equal(200)
    expect(text).to.include('name="login"').and.include('name="password"')
    expect(text).not.to.include('<script')
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(headers.get('content-type')).to.match(/^text\/html/)
    const policy = headers.get('content-security-policy')
    expect(policy).to.include("default-src 'none'").and.include("frame-ancestors 'none'")
    expect(policy).not.to.include('unsafe')
    expect(headers.get('referrer-policy')).to.equal('no-referrer')
  })

  it('lets a person in, asks for no consent, and leads back with a code', async () => {
    const { cookies, page } = await begin()
    const resume = await cookies.submit(page, { login: 'olivia', password: 'demo-password' })
    expect(resume.status).to.equal(303)
    const back = await cookies.send(target(resume))
    expect(back.status).to.equal(303)
    expect(target(back)).to.match(/\/support\/callback\?code=[\w-]+&/)
    const landing = await send(target(back))
    expect(landing.status).to.equal(200)
    expect(landing.text).to.include('You are signed in')
  })

  for (const login of ['alice', 'bob', 'olivia', 'oscar', 'grace', 'ada']) {
    it(`knows ${login}`, async () => {
      const token = await signIn(example.url, login)
      const { body } = await send(`${example.url}/oidc/me`, {
        headers: { authorization: `Bearer ${token}` },
      })
      expect(body.sub).to.equal(login)
    })
  }

  it('takes the login as people type it', async () => {
    const { cookies, page } = await begin()
    const { status } = await cookies.submit(page, { login: ' Olivia ', password: 'demo-password' })
    expect(status).to.equal(303)
  })

  const refused: Record<string, string>[] = [
    { login: 'olivia', password: 'wrong' },
    { login: 'olivia', password: '' },
    { login: 'olivia' },
    { login: 'nobody', password: 'demo-password' },
    { login: '__proto__', password: 'demo-password' },
    { 'login[]': 'olivia', 'password[]': 'demo-password' },
    {},
  ]
  for (const fields of refused) {
    it(`refuses ${JSON.stringify(fields)} with the form and a message`, async () => {
      const { cookies, page } = await begin()
      const { status, text } = await cookies.submit(page, fields)
      expect(status).to.equal(401)
      expect(text).to.include('Login or password is wrong').and.include('name="password"')
      expect(text).not.to.include('demo-password')
    })
  }

  it('keeps the login, and says the same whether or not it exists', async () => {
    const { cookies, page } = await begin()
    const existing = await cookies.submit(page, { login: 'olivia', password: 'wrong' })
    const missing = await cookies.submit(page, { login: 'nobody', password: 'wrong' })
    expect(existing.text).to.include('value="olivia"')
    expect(missing.text.replaceAll('nobody', 'olivia')).to.equal(existing.text)
  })

  it('escapes what it shows again', async () => {
    const { cookies, page } = await begin()
    const login = `"><script>alert('x')</script>&`
    const { text } = await cookies.submit(page, { login, password: 'wrong' })
    expect(text).not.to.include('<script')
    expect(text).to.include('value="&#34;&#62;&#60;script&#62;alert(&#39;x&#39;)')
  })

  it('goes on after a wrong password', async () => {
    const { cookies, page } = await begin()
    await cookies.submit(page, { login: 'olivia', password: 'wrong' })
    const { status } = await cookies.submit(page, { login: 'olivia', password: 'demo-password' })
    expect(status).to.equal(303)
  })

  it('can be cancelled', async () => {
    const { cookies, page } = await begin()
    const form = await cookies.send(page)
    const [, action = ''] = /formaction="([^"]+)"/.exec(form.text) ?? []
    const resume = await cookies.submit(new URL(action, page).href, {})
    const back = await cookies.send(target(resume))
    expect(target(back)).to.include('/support/callback?error=access_denied')
    expect((await send(target(back))).status).to.equal(200)
  })

  it('is over without its cookie, and then tries no password', async () => {
    const { page } = await begin()
    for (const answer of [
      await send(page),
      await postForm(page, { login: 'olivia', password: 'demo-password' }),
      await postForm(`${page}/abort`, {}),
    ]) {
      expect(answer.status).to.equal(400)
      expect(answer.text).to.include('expired')
      expect(answer.headers.get('location')).to.equal(null)
    }
  })

  it('refuses a form that is too large', async () => {
    const { cookies, page } = await begin()
    const { status } = await cookies.submit(page, { login: 'a'.repeat(10_000), password: 'x' })
    expect(status).to.equal(413)
  })

  it('sets cookies that scripts cannot read and other sites do not send', async () => {
    const { headers } = await send(authorizationUrl(example.url))
    for (const cookie of headers.getSetCookie()) {
      expect(cookie)
        .to.match(/; httponly/i)
        .and.match(/; samesite=lax/i)
    }
  })

  it('asks for PKCE from the confidential client, too', async () => {
    const parameters = new URLSearchParams({
      client_id: 'support-web',
      response_type: 'code',
      redirect_uri: `${example.url}/support/callback`,
      scope: 'openid',
    })
    const { headers } = await send(`${example.url}/oidc/auth?${parameters}`)
    expect(headers.get('location')).to.include('error=invalid_request').and.include('PKCE')
  })

  it('shows errors of the provider on a page that escapes them', async () => {
    const { status, headers, text } = await send(
      `${example.url}/oidc/auth?client_id=${encodeURIComponent('<img src=x>')}`,
      { headers: { accept: 'text/html' } },
    )
    expect(status).to.equal(400)
    expect(headers.get('content-type')).to.match(/^text\/html/)
    expect(text).to.include('That did not work').and.not.include('<img')
  })

  it('offers a way out: signing out ends the session', async () => {
    const { cookies, page } = await begin()
    const resume = await cookies.submit(page, { login: 'olivia', password: 'demo-password' })
    await cookies.send(target(resume))
    const { text, headers } = await cookies.send(`${example.url}/oidc/session/end`)
    expect(text).to.include('Sign out?').and.include('value="yes"')
    expect(headers.get('content-security-policy')).to.include("default-src 'none'")
    const [, action = ''] = /action="([^"]+)"/.exec(text) ?? []
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(text) ?? []
    const done = await cookies.submit(action, { xsrf, logout: 'yes' })
    expect((await cookies.send(target(done))).text).to.include('Signed out')
    const again = await cookies.send(authorizationUrl(example.url))
    expect(target(again)).to.include('/sign-in/')
  })

  for (const path of ['/support/callback', '/account/callback', '/support/callback']) {
    it(`repeats nothing at ${path} that an attacker put into the address`, async () => {
      for (const name of ['code', 'state', 'error', 'error_description']) {
        const value = encodeURIComponent('$(id)<img src=x>')
        const { status, text } = await send(`${example.url}${path}?${name}=${value}`)
        expect(status).to.equal(200)
        expect(text).not.to.match(/\$\(id\)|<img|curl/)
      }
    })
  }

  it('tells the application with a server of its own what became of the sign-in', async () => {
    const landing = (query: string) => send(`${example.url}/support/callback?${query}`)
    expect((await landing('code=abc')).text).to.include('You are signed in')
    expect((await landing('error=access_denied')).text).to.include('The sign-in was cancelled.')
    expect((await landing('error=other')).text).to.include('The provider did not let you in.')
  })
})

describe('example provider: tokens that the provider does not give away', () => {
  let example: Example

  before(async () => {
    example = await start()
  })
  after(() => example.close())

  it('gives a machine no token for the orders API', async () => {
    const { status, body } = await postForm(
      `${example.url}/oidc/token`,
      { grant_type: 'client_credentials', resource: `${example.url}/orders`, scope: 'orders:read' },
      basic('support-backend', 'support-backend-secret'),
    )
    expect([status, body.error]).to.deep.equal([400, 'invalid_target'])
  })

  it('lets only the backend introspect the tokens of others', async () => {
    const token = await signIn(example.url)
    const ask = (headers: Record<string, string>) =>
      postForm(`${example.url}/oidc/token/introspection`, { token }, headers)
    const backend = await ask(basic('support-backend', 'support-backend-secret'))
    expect(backend.body).to.include({ active: true, sub: 'olivia' })
    const web = await ask(basic('support-web', 'support-web-secret'))
    expect(web.body).to.deep.equal({ active: false })
  })
})
