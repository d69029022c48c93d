import { expect } from 'chai'
import { authorizationUrl } from '../../example-provider/demo/commands.ts'
import { Cookies } from './cookies.ts'
import { type Answer, type Example, start } from './support.ts'

describe('example provider: forms for the sign-in that come from elsewhere', () => {
  let example: Example

  before(async () => {
    example = await start()
  })
  after(() => example.close())

  async function submitFrom(site: string, action = ''): Promise<Answer> {
    const cookies = new Cookies()
    const { headers } = await cookies.send(authorizationUrl(example.url))
    const page = new URL(headers.get('location') ?? '', example.url).href
    return cookies.send(`${page}${action}`, {
      method: 'POST',
      body: new URLSearchParams({ login: 'olivia', password: 'demo-password' }),
      headers: { 'sec-fetch-site': site },
    })
  }

  for (const site of ['cross-site', 'same-site']) {
    it(`are refused, with the cookie and the right password, from ${site}`, async () => {
      for (const action of ['', '/abort']) {
        const { status, headers, text } = await submitFrom(site, action)
        expect([status, headers.get('location')]).to.deep.equal([403, null])
        expect(text).to.include('This form does not come from the sign-in page.')
      }
    })
  }

  for (const site of ['same-origin', 'none']) {
    it(`are taken from ${site}`, async () => {
      expect((await submitFrom(site)).status).to.equal(303)
    })
  }
})
