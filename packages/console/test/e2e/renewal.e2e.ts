import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type Deployment, deploy } from '../support/deployment.ts'
import { enter, submitSignIn } from './support/enter.ts'
import { expectGoodLooks } from './support/pictures.ts'
import { type Visit, visit } from './support/visit.ts'

const HOUR = 3_600_000

const search = (page: Page) => page.getByRole('searchbox')
const expired = (page: Page) => page.getByText('Your sign-in is over.').first()

/** The newest access token of the visitor, as the server knows it. */
async function tokenOf({ tokens }: Visit): Promise<string> {
  const seen = await tokens.seen()
  return seen.findLast(({ name }) => name === 'access_token')?.value ?? ''
}

describe('the sign-in of the console, while it is open', function () {
  this.timeout(60_000)
  let deployment: Deployment
  before(async () => {
    deployment = await deploy()
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('is renewed before it expires: nothing moves, and what runs goes on', async () => {
    await using visitor = await visit(deployment.url, { clock: new Date() })
    const { page } = visitor
    await enter(page, 'olivia')
    const running = await deployment.impersonate()
    const first = await tokenOf(visitor)
    await search(page).fill('ali')
    const renewed = page.waitForResponse(
      (response) => response.url().endsWith('/oidc/token') && response.ok(),
    )
    await page.clock.fastForward(HOUR - 59_000)
    await renewed
    const second = await tokenOf(visitor)
    expect(second).not.to.equal(first)
    await search(page).fill('alice')
    const asked = await page.waitForRequest(/\/customers/)
    expect((await asked.allHeaders()).authorization).to.equal(`Bearer ${second}`)
    await page.getByText('alice@example.com').first().waitFor()
    expect(new URL(page.url()).pathname).to.equal('/console')
    expect(await expired(page).count()).to.equal(0)
    expect(await running.look()).to.equal(200)
  })

  it('is renewed where the server no longer takes the token, and the request is repeated', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    await enter(page, 'olivia')
    const token = await deployment.provider.AccessToken.find(await tokenOf(visitor))
    await token?.destroy()
    visitor.expectFailure(/\/console\//, 401)
    await search(page).fill('bob')
    await page.getByText('bob@example.com').first().waitFor()
    expect(await expired(page).count()).to.equal(0)
  })

  it('is not over where the provider does not answer for a while', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    await enter(page, 'olivia')
    const token = await deployment.provider.AccessToken.find(await tokenOf(visitor))
    await token?.destroy()
    await page.route('**/oidc/auth?*', (route) => route.abort('connectionrefused'))
    visitor.expectFailure(/\/oidc\/auth/)
    visitor.expectFailure(/\/console\//, 401)
    await search(page).fill('bob')
    await page.getByText('The server does not answer.').first().waitFor()
    expect(await expired(page).count()).to.equal(0)
    await page.unroute('**/oidc/auth?*')
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await page.getByText('bob@example.com').first().waitFor()
  })

  it('is of no use where the role was taken away, and says so', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    await enter(page, 'oscar')
    deployment.roles.delete('oscar')
    try {
      visitor.expectFailure(/\/console\//, 403)
      await search(page).fill('bob')
      await page.getByText('Your role does not allow this.').first().waitFor()
      await page.reload()
      await page.getByRole('heading', { name: 'You have no role here' }).waitFor()
    } finally {
      deployment.roles.set('oscar', 'operator')
    }
  })

  it('says when it is over, keeps the page, and goes on at the same place with what was typed', async () => {
    await using visitor = await visit(deployment.url, { clock: new Date() })
    const { page, context } = visitor
    const link = '/console/act?user=alice&ticket=SUP-77'
    await enter(page, 'olivia', link)
    const reason = page.getByLabel(/reason/i)
    await reason.fill('The invoice is wrong')
    await context.clearCookies()
    await page.clock.fastForward(HOUR - 59_000)
    await expired(page).waitFor()
    expect(await reason.inputValue(), 'the page stays').to.equal('The invoice is wrong')
    await expectGoodLooks(page, 'frame-expired')
    await page.getByRole('button', { name: 'Sign in again' }).click()
    await submitSignIn(page, 'olivia')
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    expect(new URL(page.url()).pathname + new URL(page.url()).search).to.equal(link)
    expect(await reason.inputValue(), 'after the sign-in').to.equal('The invoice is wrong')
  })

  it('gives nothing of one person to the next one in the same tab', async () => {
    await using visitor = await visit(deployment.url, { clock: new Date() })
    const { page, context } = visitor
    await enter(page, 'olivia', '/console/act?user=alice&ticket=SUP-78')
    await page.getByLabel(/reason/i).fill('A secret of Olivia')
    await context.clearCookies()
    await page.clock.fastForward(HOUR - 59_000)
    await page.getByRole('button', { name: 'Sign in again' }).click()
    await submitSignIn(page, 'oscar')
    await page.getByText('Oscar Öhman').waitFor()
    await page.getByRole('heading', { name: /Alice Ng/ }).waitFor()
    expect(await page.getByLabel(/reason/i).inputValue()).to.equal('')
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.to.contain(
      'secret',
    )
  })

  it('ends where another person signed in in this browser meanwhile', async () => {
    await using visitor = await visit(deployment.url, { clock: new Date() })
    const { page, context } = visitor
    await enter(page, 'olivia')
    await context.clearCookies()
    const other = await context.newPage()
    await enter(other, 'oscar')
    await page.clock.fastForward(HOUR - 59_000)
    await page.getByText('Another person signed in in this browser.').waitFor()
    expect(await page.getByText('Olivia Okafor').count()).to.equal(0)
  })

  it('comes back by itself where the person signs in again in another tab', async () => {
    await using visitor = await visit(deployment.url, { clock: new Date() })
    const { page, context } = visitor
    await enter(page, 'olivia')
    await search(page).fill('alice')
    await context.clearCookies()
    await page.clock.fastForward(HOUR - 59_000)
    await expired(page).waitFor()
    await enter(await context.newPage(), 'olivia')
    await expired(page).waitFor({ state: 'detached' })
    expect(await search(page).inputValue()).to.equal('alice')
  })
})
