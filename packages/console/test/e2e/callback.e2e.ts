import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type Deployment, deploy } from '../support/deployment.ts'
import { enter } from './support/enter.ts'
import { type Visit, visit } from './support/visit.ts'

const CALLBACK = '/console/callback'

/** The state of the sign-in that this tab began. */
function stateOf(page: Page): Promise<string> {
  return page.evaluate(() => {
    const begun = sessionStorage.getItem('sign-in support-console') ?? '{}'
    return String(JSON.parse(begun).state)
  })
}

/** Begins a sign-in and stops at the sign-in page. */
async function begin(page: Page): Promise<void> {
  await page.goto('/console')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Login').waitFor()
}

/** Expects the sign-in page of the console with this message, and that no code was redeemed. */
async function expectRefused({ page, urls }: Visit, message: string): Promise<void> {
  await page.getByText(message).waitFor()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  expect(new URL(page.url()).pathname + new URL(page.url()).search).to.equal('/console')
  expect(urls.filter((url) => url.endsWith('/oidc/token'))).to.eql([])
}

const ELSEWHERE = 'This sign-in was begun in another tab'

describe('an answer of the provider to the console', function () {
  this.timeout(60_000)
  let deployment: Deployment
  before(async () => {
    deployment = await deploy()
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('is refused where this tab began no sign-in: a code of an attacker is not redeemed', async () => {
    await using visitor = await visit(deployment.url)
    const query = new URLSearchParams({ code: 'x'.repeat(43), state: 'y', iss: deployment.issuer })
    await visitor.page.goto(`${CALLBACK}?${query}`)
    await expectRefused(visitor, ELSEWHERE)
  })

  it('is refused with the state of another sign-in', async () => {
    await using visitor = await visit(deployment.url)
    await begin(visitor.page)
    const query = new URLSearchParams({ code: 'c', state: 'other', iss: deployment.issuer })
    await visitor.page.goto(`${CALLBACK}?${query}`)
    await expectRefused(visitor, ELSEWHERE)
  })

  it('is refused from another provider', async () => {
    await using visitor = await visit(deployment.url)
    await begin(visitor.page)
    const state = await stateOf(visitor.page)
    const query = new URLSearchParams({ code: 'c', state, iss: 'https://evil.example' })
    await visitor.page.goto(`${CALLBACK}?${query}`)
    await expectRefused(visitor, ELSEWHERE)
  })

  it('that says no is told as it is', async () => {
    await using visitor = await visit(deployment.url)
    await begin(visitor.page)
    const state = await stateOf(visitor.page)
    const query = new URLSearchParams({ error: 'access_denied', state, iss: deployment.issuer })
    await visitor.page.goto(`${CALLBACK}?${query}`)
    await expectRefused(visitor, 'The sign-in was cancelled.')
  })

  it('leads nowhere else, whatever the storage of the tab says', async () => {
    await using visitor = await visit(deployment.url)
    await begin(visitor.page)
    const state = await stateOf(visitor.page)
    await visitor.page.evaluate(() => {
      const key = 'sign-in support-console'
      const begun = JSON.parse(sessionStorage.getItem(key) ?? '{}')
      sessionStorage.setItem(key, JSON.stringify({ ...begun, address: '//evil.example/console' }))
    })
    const query = new URLSearchParams({ error: 'access_denied', state, iss: deployment.issuer })
    await visitor.page.goto(`${CALLBACK}?${query}`)
    await expectRefused(visitor, 'The sign-in was cancelled.')
  })

  it('with a code that was redeemed already leads to the sign-in page, without a token', async () => {
    await using visitor = await visit(deployment.url)
    const { page, urls } = visitor
    await enter(page, 'olivia')
    const used = urls.find((url) => url.includes(`${CALLBACK}?code=`)) ?? ''
    await page.goto(used)
    await page.getByText(ELSEWHERE).waitFor()
    expect(new URL(page.url()).search).to.equal('')
  })

  it('may come without anything: the first page is shown', async () => {
    await using visitor = await visit(deployment.url)
    await visitor.page.goto(CALLBACK)
    await visitor.page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(new URL(visitor.page.url()).pathname).to.equal('/console')
  })
})
