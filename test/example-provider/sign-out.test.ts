import { expect } from 'chai'
import { type MovedClock, movedClock } from '../../packages/console/test/e2e/support/moved-clock.ts'
import { signInOf } from './acting.ts'
import { Cookies } from './cookies.ts'
import { type Answer, type Example, send, start } from './support.ts'

describe('example provider: sign-out', () => {
  let example: Example
  let clock: MovedClock

  before(async () => {
    clock = movedClock()
    example = await start()
  })
  after(async () => {
    await example.close()
    clock[Symbol.dispose]()
  })

  const target = (answer: Answer): string =>
    new URL(answer.headers.get('location') ?? '', example.url).href

  /** Signs in to the console, and returns the ID token. Two sign-ins are not in the same second. */
  async function signIn(cookies: Cookies, login: string): Promise<string> {
    clock.by(2000)
    const { url, tokens } = signInOf(example.url, 'support-console')
    url.searchParams.set('prompt', 'login')
    const page = target(await cookies.send(url.href))
    const resume = await cookies.submit(page, { login, password: 'demo-password' })
    const { body } = await tokens(new URL(target(await cookies.send(target(resume)))))
    return String(body.id_token)
  }

  function signOut(cookies: Cookies, hint?: string): Promise<Answer> {
    const url = new URL(`${example.url}/oidc/session/end`)
    url.searchParams.set('client_id', 'support-console')
    url.searchParams.set('post_logout_redirect_uri', `${example.url}/console`)
    if (hint !== undefined) url.searchParams.set('id_token_hint', hint)
    return cookies.send(url.href)
  }

  function expectQuestion({ status, text }: Answer): void {
    expect(status).to.equal(200)
    expect(text).to.include('<h1>Sign out?</h1>').and.include('>Stay signed in</button>')
    expect(text).to.not.include('<script')
  }

  it('of a person who pressed Sign out in the console is not asked for a second time', async () => {
    const cookies = new Cookies()
    const hint = await signIn(cookies, 'olivia')
    const { text, headers } = await signOut(cookies, hint)
    expect(text).to.include('<h1>Signing out</h1>').and.not.include('Stay signed in')
    expect(text).to.include('<input type="hidden" form="op.logoutForm" name="logout" value="yes">')
    const [, script = ''] = /<script type="module" src="([^"]+)"><\/script>/.exec(text) ?? []
    const { headers: type } = await send(example.url + script)
    expect(type.get('content-type')).to.equal('text/javascript; charset=utf-8')
    expect(`${headers.get('content-security-policy')};`)
      .to.include(";script-src 'self';")
      .and.include(";require-trusted-types-for 'script';")
      .and.include(";trusted-types 'none';")

    const [, action = ''] = /action="([^"]+)"/.exec(text) ?? []
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(text) ?? []
    const done = await cookies.submit(action, { xsrf, logout: 'yes' })
    expect(target(done)).to.equal(`${example.url}/console`)
    const again = await cookies.send(signInOf(example.url, 'support-console').url.href)
    expect(target(again), 'the session is over').to.include('/sign-in/')
  })

  it('asks where no ID token shows that an application of this sign-in wants it', async () => {
    const cookies = new Cookies()
    await signIn(cookies, 'olivia')
    expectQuestion(await signOut(cookies))
  })

  it('asks with the ID token of an earlier sign-in, in this browser or in another', async () => {
    const cookies = new Cookies()
    const before = await signIn(cookies, 'olivia')
    const elsewhere = await signIn(new Cookies(), 'olivia')
    await signIn(cookies, 'olivia')
    expectQuestion(await signOut(cookies, before))
    expectQuestion(await signOut(cookies, elsewhere))
  })

  it('asks with the ID token of another person, who signed in at the same moment', async () => {
    const cookies = new Cookies()
    await signIn(cookies, 'olivia')
    // Back to the second in which olivia signed in.
    clock.by(-2000)
    expectQuestion(await signOut(cookies, await signIn(new Cookies(), 'oscar')))
  })
})
