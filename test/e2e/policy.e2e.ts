import { expect } from 'chai'
import type { Request } from 'playwright-core'
import { send } from '../example-provider/support.ts'
import { act, banner, message } from './support/acting.ts'
import { type LaunchedExample, launchExample } from './support/server.ts'
import { TOURS } from './support/tours.ts'
import { visit } from './support/visit.ts'

const APPLICATIONS = ['/console', '/console/callback', '/account', '/account/callback'] as const
const OTHERS = ['/', '/support/callback', '/sign-in/long-ago', '/oidc/auth?client_id=nobody']

const APPLICATION_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
]

/** Script in an attribute, or in the page itself; style in either. */
const INLINE = /<[^>]*\s(?:on\w+|style)\s*=|<style|<script(?![^>]*\ssrc=)|javascript:/i

describe('the policy', function () {
  this.timeout(60_000)
  let example: LaunchedExample

  before(async () => {
    example = await launchExample()
  })
  after(() => example[Symbol.asyncDispose]())

  for (const path of APPLICATIONS) {
    it(`of ${path} allows what the page needs, and nothing else`, async () => {
      const { headers } = await send(`${example.url}${path}`)
      const policy = headers.get('content-security-policy')
      expect(policy?.split(';')).to.have.members(APPLICATION_POLICY)
    })
  }

  for (const path of [...APPLICATIONS, ...OTHERS]) {
    it(`of ${path}: no frame, no referrer, no cache, nothing inline`, async () => {
      const { headers, text } = await send(`${example.url}${path}`, {
        headers: { accept: 'text/html' },
      })
      expect(headers.get('content-type')).to.match(/^text\/html/)
      expect(headers.get('content-security-policy'))
        .to.include("default-src 'none'")
        .and.include("frame-ancestors 'none'")
        .and.include("base-uri 'none'")
        .and.not.include('unsafe-')
      expect(headers.get('referrer-policy')).to.equal('no-referrer')
      expect(headers.get('x-content-type-options')).to.equal('nosniff')
      expect(headers.get('cross-origin-opener-policy')).to.equal('same-origin')
      expect(headers.get('cache-control')).to.include('no-store')
      expect(text).not.to.match(INLINE)
    })
  }

  for (const [name, walk] of Object.entries(TOURS)) {
    it(`is kept by everything that is built in the browser: ${name}`, async () => {
      await using empty = await launchExample()
      await using person = await visit(empty.url)
      const requests: Promise<Sent>[] = []
      person.context.on('request', (request) => requests.push(sent(request)))
      await walk(person, async (view) => {
        const inline = await person.page.evaluate(() =>
          [...document.querySelectorAll('*')]
            .filter(({ attributes }) =>
              [...attributes].some(({ name }) => /^on|^style$/.test(name)),
            )
            .map(({ outerHTML }) => outerHTML),
        )
        expect(inline, view).to.deep.equal([])
      })
      const referrers = await Promise.all(requests)
      expect(referrers.filter(({ isKnown }) => isKnown)).to.have.lengthOf.at.least(5)
      for (const { url, referrer } of referrers) {
        expect(new URL(url).origin).to.equal(empty.url)
        expect(referrer || undefined, `referrer of ${url}`).to.equal(undefined)
      }
    })
  }

  it('refuses script and markup that found their way into the page', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await page.goto('/console')
    person.expectConsoleError(/requires 'TrustedHTML' assignment/)
    person.expectConsoleError(/requires 'TrustedScript' assignment/)
    const done = await page.evaluate(() => {
      const attempts = [
        () => document.body.insertAdjacentHTML('beforeend', '<b>markup</b>'),
        () =>
          document.body.appendChild(document.createElement('script')).append('document.title=1'),
        () => {
          const button = document.createElement('button')
          button.setAttribute('onclick', 'document.title=1')
          button.click()
        },
      ]
      return attempts.map((attempt) => {
        try {
          attempt()
          return 'done'
        } catch (error) {
          return error instanceof Error ? error.name : 'refused'
        }
      })
    })
    expect(done[0]).to.equal('TypeError')
    expect(await page.title()).to.equal('Support console')
    expect(await page.locator('b:text("markup")').count()).to.equal(0)
  })

  it('lets no page show the console in a frame, not even of its own origin', async () => {
    await using person = await visit(example.url)
    const { page } = person
    person.expectConsoleError(/frame-ancestors 'none'/)
    person.expectFailure('/console')
    await page.route('**/framing', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: '<!doctype html><title>Framing</title><link rel="icon" href="data:,"><iframe src="/console"></iframe>',
      }),
    )
    const refused = page.waitForEvent('requestfailed')
    await page.goto('/framing')
    await refused
    const shown = page.frameLocator('iframe').getByRole('heading', { name: 'Support console' })
    expect(await shown.count()).to.equal(0)
  })

  it('keeps tokens from other origins: there are none to ask', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await act(page)
    person.expectConsoleError(/connect-src 'self'/)
    person.expectConsoleError(/Refused to connect/)
    const answer = await page.evaluate(() =>
      fetch('http://127.0.0.1:1/').then(
        () => 'an answer',
        () => 'refused',
      ),
    )
    expect(answer).to.equal('refused')
    await banner(page).getByRole('button', { name: 'End' }).click()
    await message(page).getByText('You no longer act as Alice Ng').waitFor()
  })
})

interface Sent {
  readonly url: string
  readonly isKnown: boolean
  readonly referrer?: string | undefined
}

/** With the headers that the browser added. A page that closes takes those of its last one along. */
async function sent(request: Request): Promise<Sent> {
  const url = request.url()
  return request.allHeaders().then(
    ({ referer }) => ({ url, isKnown: true, referrer: referer }),
    () => ({ url, isKnown: false }),
  )
}
