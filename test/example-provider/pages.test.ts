import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { authorizationUrl } from '../../example-provider/demo/commands.ts'
import { Cookies } from './cookies.ts'
import { type Answer, type Example, send, start } from './support.ts'

describe('example provider: pages', () => {
  let example: Example & { readonly shopUrl: string | undefined }

  before(async () => {
    example = await start()
  })
  after(() => example.close())

  function target(answer: Answer): string {
    return new URL(answer.headers.get('location') ?? '', example.url).href
  }

  async function signIn(cookies: Cookies, url: string, login: string): Promise<Answer> {
    const page = target(await cookies.send(url))
    const resume = await cookies.submit(page, { login, password: 'demo-password' })
    return cookies.send(target(resume))
  }

  it('lead from the front page to the console, to the shop and to the account', async () => {
    const { text } = await send(example.url)
    const links = [...text.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href)
    const shop = `${example.shopUrl}/`
    expect(links).to.deep.equal(['/console', shop, '/account', '/openapi.yaml', '/mail'])
    for (const link of ['/console', '/account']) {
      const page = await send(`${example.url}${link}`)
      expect(page.status).to.equal(200)
      expect(page.text).to.match(/<script type="module" src="[^"]+\.js"/)
    }
    expect((await send(shop)).status).to.equal(200)
  })

  it('have styles of their own origin, as their policy allows, and none inside', async () => {
    const { headers, text } = await send(example.url)
    expect(headers.get('content-security-policy')).to.match(/(?:^|;)style-src 'self'(?:;|$)/)
    expect(text).not.to.match(/<style|\sstyle=/)
    const styles = [...text.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)]
    expect(styles).to.have.lengthOf(1)
    for (const [, href = ''] of styles) {
      const { status, headers: type } = await send(new URL(href, example.url))
      expect([status, type.get('content-type')]).to.deep.equal([200, 'text/css; charset=utf-8'])
    }
  })

  it('tell the password that everybody knows, and no other', async () => {
    await using stack = new AsyncDisposableStack()
    const other = stack.adopt(await start({ DEMO_PASSWORD: 'of-our-own' }), (it) => it.close())
    expect((await send(example.url)).text)
      .to.include('demo-password')
      .and.include('grace: lead')
    expect((await send(other.url)).text).not.to.match(/demo-password|of-our-own|grace/)
  })

  it('name the terminal and its commands where the password is told, and nowhere else', async () => {
    await using stack = new AsyncDisposableStack()
    const other = stack.adopt(await start({ DEMO_PASSWORD: 'of-our-own' }), (it) => it.close())
    expect((await send(example.url)).text).to.include('terminal')
    const { status, text } = await send(other.url)
    expect(status).to.equal(200)
    expect(text).not.to.match(/terminal|commands/)
  })

  it('let another person sign in, through the self-submitting form of oidc-provider', async () => {
    const cookies = new Cookies()
    const url = authorizationUrl(example.url)
    await signIn(cookies, url, 'olivia')
    const form = await signIn(cookies, `${url}&prompt=login`, 'alice')
    const [, script = ''] = /<script>(.*?)<\/script>/s.exec(form.text) ?? []
    const hash = createHash('sha256').update(script).digest('base64')
    expect(form.headers.get('content-security-policy')).to.include(`script-src 'sha256-${hash}'`)

    const [, action = ''] = /action="([^"]+)"/.exec(form.text) ?? []
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(form.text) ?? []
    const resumed = await cookies.submit(action, { xsrf, logout: 'yes' })
    expect(target(await cookies.send(target(resumed)))).to.include('/support/callback?code=')
  })

  it('keep a session: the second sign-in asks nothing', async () => {
    const cookies = new Cookies()
    await signIn(cookies, authorizationUrl(example.url), 'olivia')
    const silent = await cookies.send(`${authorizationUrl(example.url)}&prompt=none`)
    expect(target(silent)).to.include('/support/callback?code=')
  })
})
