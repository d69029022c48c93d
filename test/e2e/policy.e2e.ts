import { expect } from 'chai'
import { send } from '../example-provider/support.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { visit } from './support/visit.ts'

const APPLICATIONS = ['/console', '/console/callback', '/account', '/account/callback']
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
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  it('allows what a page needs, and nothing else: no frame, no referrer, no cache, nothing inline', async () => {
    for (const path of [...APPLICATIONS, ...OTHERS]) {
      const { headers, text } = await send(`${example.url}${path}`, {
        headers: { accept: 'text/html' },
      })
      expect(headers.get('content-type'), path).to.match(/^text\/html/)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy, path)
        .to.include("default-src 'none'")
        .and.include("frame-ancestors 'none'")
        .and.include("base-uri 'none'")
        .and.not.include('unsafe-')
      if (APPLICATIONS.includes(path)) {
        expect(policy.split(';'), path).to.have.members(APPLICATION_POLICY)
      }
      expect(headers.get('referrer-policy'), path).to.equal('no-referrer')
      expect(headers.get('x-content-type-options'), path).to.equal('nosniff')
      expect(headers.get('cross-origin-opener-policy'), path).to.equal('same-origin')
      expect(headers.get('cache-control'), path).to.include('no-store')
      expect(text, path).not.to.match(INLINE)
    }
  })

  it('refuses script and markup in the page, other origins, and frames of its own', async () => {
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

    person.expectConsoleError(/connect-src 'self'/)
    person.expectConsoleError(/Refused to connect/)
    const answer = await page.evaluate(() =>
      fetch('http://127.0.0.1:1/').then(
        () => 'an answer',
        () => 'refused',
      ),
    )
    expect(answer).to.equal('refused')

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
})
