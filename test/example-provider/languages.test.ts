import { expect } from 'chai'
import { customers } from '../../example-provider/console.ts'
import { authorizationUrl } from '../../example-provider/demo/commands.ts'
import { Cookies } from './cookies.ts'
import { type Answer, type Started, send, start } from './support.ts'

describe('the languages of the example', function () {
  this.timeout(30_000)
  let example: Started

  before(async () => {
    example = await start()
  })
  after(() => example.close())

  /** The pages that a person meets outside the console. */
  async function pagesFor(language: string): Promise<readonly Answer[]> {
    const headers = { 'accept-language': language, accept: 'text/html' }
    const cookies = new Cookies()
    const begun = await cookies.send(authorizationUrl(example.url), { headers })
    const signInUrl = new URL(begun.headers.get('location') ?? '', example.url).href
    const asked = [
      example.url,
      `${example.url}/mail`,
      `${example.shopUrl}/`,
      `${example.url}/oidc/auth`,
    ]
    const pages = await Promise.all(asked.map((url) => send(url, { headers })))
    return [...pages, await cookies.send(signInUrl, { headers })]
  }

  for (const [asked, shown, words] of [
    ['de-AT,de;q=0.9,en;q=0.8', 'de', /Geschichten|Post|Laden|Bestellungen|geklappt|Anmelden/],
    ['en-GB', 'en', /stories|Mail|orders|did not work|Sign in/],
    ['fr', 'en', /stories|Mail|orders|did not work|Sign in/],
  ] as const) {
    it(`who asks for ${asked} gets every page in ${shown}`, async () => {
      for (const { text } of await pagesFor(asked)) {
        expect(text).to.include(`<html lang="${shown}"`).and.match(words).and.not.include('{{')
      }
    })
  }

  it('the directory has its labels and its sentences in the language of the reader', async () => {
    const find = async (text: string, language: string) =>
      (await customers.search(text, { offset: 0, limit: 5, language })).customers[0]
    expect((await find('alice', 'en'))?.details).to.have.keys('Customer number', 'City')
    expect((await find('alice', 'de'))?.details).to.have.keys('Kundennummer', 'Ort')
    expect((await find('erin', 'de'))?.protected).to.include('gesperrt')
    const grace = await customers.get('grace', { language: 'de' })
    expect(grace?.protected).to.include('arbeitet hier')
  })
})
