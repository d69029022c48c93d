import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { listen, signIn as signInByHand } from '../example-provider/support.ts'
import { browser } from './support/browser.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { submitSignIn } from './support/sign-in.ts'

/**
 * Without the watch over the other tests, which takes every request to another origin for an
 * accident.
 */
describe('pages of somebody else', () => {
  let example: SharedExample
  let evil: { url: string; close(): Promise<void> }

  before(async () => {
    example = await sharedExample()
    evil = await listen((request, response) => {
      const target = new URL(request.url ?? '/', 'http://evil.example').searchParams.get('post')
      response.setHeader('content-type', 'text/html')
      response.end(target === null ? '<h1>A page of somebody else</h1>' : selfSubmitting(target))
    })
  })
  after(async () => {
    await evil.close()
  })

  /** Another site, not only another port of the same one. */
  const elsewhere = () => evil.url.replace('localhost', '127.0.0.1')

  async function open(): Promise<AsyncDisposable & { page: Page }> {
    const context = await (await browser()).newContext({ baseURL: example.url })
    context.setDefaultTimeout(8000)
    const page = await context.newPage()
    return { page, [Symbol.asyncDispose]: () => context.close() }
  }

  /** Goes to the sign-in page, and gives its address. */
  async function signInPage(page: Page): Promise<string> {
    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Login').waitFor()
    return page.url()
  }

  it('can put none of the pages into a frame: neither another site nor another port', async () => {
    await using person = await open()
    const { page } = person
    const signIn = await signInPage(page)
    for (const attacker of [elsewhere(), evil.url]) {
      await page.goto(attacker)
      for (const url of [`${example.url}/console`, `${example.url}/account`, signIn]) {
        const refused = page.waitForEvent('console', (it) => /frame-ancestors/.test(it.text()))
        await page.evaluate((src) => {
          const frame = document.createElement('iframe')
          frame.src = src
          document.body.replaceChildren(frame)
        }, url)
        await refused
        const urls = page.frames().map((frame) => frame.url())
        expect(urls, url).not.to.include(url)
      }
    }
  })

  it('learn nothing from the APIs, even with a token that they have', async () => {
    const token = await signInByHand(example.url)
    await using person = await open()
    const { page } = person
    await page.goto(elsewhere())
    const headers = { authorization: `Bearer ${token}` }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = 'grant_type=client_credentials&client_id=support-console'
    for (const [path, init] of [
      ['/support/me', {}],
      ['/support/me', { headers }],
      ['/support/customers', { headers }],
      ['/orders', { headers }],
      ['/account/impersonations', { headers }],
      ['/oidc/me', { headers }],
      ['/oidc/token', { method: 'POST', headers: form, body }],
    ] as const) {
      const answer = await page.evaluate(
        ([url, how]) =>
          fetch(url, how).then(
            async (response) => `${response.status} ${await response.text()}`,
            (error) => String(error),
          ),
        [`${example.url}${path}`, init] as const,
      )
      expect(answer, path).to.equal('TypeError: Failed to fetch')
    }
    const readable = await page.evaluate(
      (url) => fetch(url).then((response) => response.text(), String),
      `${example.url}/oidc/.well-known/openid-configuration`,
    )
    expect(readable, 'what is public').to.contain('token_endpoint')
  })

  it('sign in or out with a form: neither happens, even at a sign-in that has begun', async () => {
    await using person = await open()
    const { page } = person
    const signIn = await signInPage(page)
    expect(await submitElsewhere(page, signIn)).to.equal(403)
    await page.getByText('This form does not come from the sign-in page.').waitFor()
    await signInPage(page)
    await submitSignIn(page, 'olivia', 'demo-password')
    await page.getByRole('heading', { name: 'Customers' }).waitFor()

    expect(await submitElsewhere(page, `${example.url}/oidc/session/end/confirm`)).to.equal(400)
    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Customers' }).waitFor()
  })

  async function submitElsewhere(page: Page, action: string): Promise<number> {
    const answered = page.waitForResponse((it) => it.request().method() === 'POST')
    await page.goto(`${elsewhere()}/?post=${encodeURIComponent(action)}`)
    return (await answered).status()
  }
})

function selfSubmitting(action: string): string {
  return `<form method="post" action="${action.replaceAll('"', '%22')}">
<input name="login" value="alice"><input name="password" value="demo-password">
<input name="logout" value="yes"></form>
<script>document.forms[0].submit()</script>`
}
