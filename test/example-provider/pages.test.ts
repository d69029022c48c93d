import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { authorizationUrl } from '../../example-provider/commands.ts'
import type { Example } from '../../example-provider/server.ts'
import { Cookies } from './cookies.ts'
import { type Answer, send, start } from './support.ts'

describe('example provider: pages', () => {
  let example: Example

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

  it('lead from the front page to the sign-in', async () => {
    const { text } = await send(example.url)
    const [, href = ''] = /href="([^"]+)"/.exec(text) ?? []
    expect(href.replaceAll('&#38;', '&')).to.equal(authorizationUrl(example.url))
  })

  it('have the one style that their policy allows', async () => {
    const { headers, text } = await send(example.url)
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(headers.get('content-security-policy')).to.include(`style-src 'sha256-${hash}'`)
  })

  it('let somebody else sign in, through the self-submitting form of oidc-provider', async () => {
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
    expect(target(await cookies.send(target(resumed)))).to.include('/console/callback?code=')
  })

  it('keep a session: the second sign-in asks nothing', async () => {
    const cookies = new Cookies()
    await signIn(cookies, authorizationUrl(example.url), 'olivia')
    const silent = await cookies.send(`${authorizationUrl(example.url)}&prompt=none`)
    expect(target(silent)).to.include('/console/callback?code=')
  })
})
