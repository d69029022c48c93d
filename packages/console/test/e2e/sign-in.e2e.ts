import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type Deployment, deploy } from '../support/deployment.ts'
import { idsOf } from '../support/expect-answer.ts'
import { enter, submitSignIn } from './support/enter.ts'
import { movedClock } from './support/moved-clock.ts'
import { reads, strip, visitDeployment } from './support/operating.ts'
import { expectGoodLooks } from './support/pictures.ts'
import { visit } from './support/visit.ts'

const LINK = '/console/act?user=alice&ticket=SUP%20%26%2042'
/** Of a token, in seconds. It is renewed a minute before its end. */
const TTL = 200
const TYPED = 'The invoice is wrong'

const home = (page: Page) => page.url().replace(/^https?:\/\/[^/]+/, '')
const reason = (page: Page) => page.getByLabel('Reason')
const over = (page: Page) => page.getByText('Your sign-in is over.')

/** As if the person came back from another tab. */
const lookAgain = (page: Page) =>
  page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))

describe('the sign-in to the console, in the browser', () => {
  let deployment: Deployment
  beforeEach(async () => {
    deployment = await deploy({ accessTokenTtl: TTL })
  })
  afterEach(() => deployment[Symbol.asyncDispose]())

  async function signInAgain(page: Page) {
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Sign in again' }).click()
    const tab = await opened
    await submitSignIn(tab, 'olivia')
    await tab.close()
    await lookAgain(page)
    await over(page).waitFor({ state: 'hidden' })
  }

  it('I6: leads a deep link to the very address, also after a reload, and no token is in reach', async () => {
    await using visitor = await visit(deployment.url)
    const { page, context } = visitor
    await enter(page, 'olivia', LINK)
    expect(home(page)).to.equal(LINK)
    await page.reload()
    await reason(page).waitFor()
    expect(home(page), 'after a reload').to.equal(LINK)
    const cookies = await context.cookies()
    const { value: token, httpOnly } = cookies.find(({ name }) => name === 'support-console') ?? {}
    expect(httpOnly).to.equal(true)
    const seen = [await page.content(), ...visitor.urls, ...deployment.log].join('\n')
    expect(seen).to.not.include(token)
  })

  it('is renewed before its end: nothing moves, what is typed stays, and what runs goes on', async () => {
    using clock = movedClock()
    await using visitor = await visitDeployment(deployment, { clock: new Date() })
    const { page } = visitor
    await enter(page, 'olivia', LINK)
    await reason(page).fill(TYPED)
    const running = await deployment.impersonate({ customer: 'bob' })
    const renewed = page.waitForResponse(/\/console\/callback/)
    clock.by((TTL - 28) * 1000)
    await page.clock.fastForward((TTL - 28) * 1000)
    await renewed
    clock.by(30_000)
    await lookAgain(page)
    await strip(page).getByText(reads("You're acting as Bob Marsh")).waitFor()
    expect(await reason(page).inputValue()).to.equal(TYPED)
    expect(home(page)).to.equal(LINK)
    expect(await running.look()).to.equal(200)
  })

  it('that is over is said; what is typed stays, and the page goes on after a sign-in in a new tab', async () => {
    await using visitor = await visit(deployment.url)
    const { page, context } = visitor
    visitor.expectFailure('/console/stream', 401)
    await enter(page, 'olivia', LINK)
    await reason(page).fill(TYPED)
    await context.clearCookies()
    await lookAgain(page)
    await over(page).waitFor()
    await expectGoodLooks(page, 'frame-expired')
    await signInAgain(page)
    expect(await reason(page).inputValue()).to.equal(TYPED)
  })

  it('ends by a sign-out, with all that the person runs; other tabs are told', async () => {
    await using visitor = await visit(deployment.url)
    const { page, context } = visitor
    await enter(page, 'olivia')
    const other = await context.newPage()
    visitor.expectFailure('/console/stream', 401)
    await enter(other, 'olivia', LINK)
    await deployment.impersonate()
    const ofOthers = await deployment.impersonate({ operator: 'oscar', customer: 'bob' })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: /yes, sign me out/i }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    const body = await deployment.read('grace', '')
    const ids = idsOf(body.running)
    expect(ids, 'what others run goes on').to.eql([ofOthers.id])
    await lookAgain(other)
    await over(other).waitFor()
    // No session is left at the provider either.
    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  })

  it('survives a restart of the server: the page says what is the matter, and what is typed stays', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    await enter(page, 'olivia', LINK)
    await reason(page).fill(TYPED)
    const port = Number(new URL(deployment.url).port)
    await deployment[Symbol.asyncDispose]()
    visitor.expectFailure(/\/console\//)
    await page.getByText('The server does not answer right now').waitFor()
    // All sign-ins are gone: the storage of this deployment is its memory.
    deployment = await deploy({ port })
    await over(page).waitFor()
    await signInAgain(page)
    expect(await reason(page).inputValue()).to.equal(TYPED)
  })

  it('at another site than the provider is renewed by the next link; a script is led nowhere', async () => {
    await using other = await deploy({ accessTokenTtl: TTL, elsewhere: true })
    const { origin } = new URL(other.consoleUrl)
    using clock = movedClock()
    await using visitor = await visit(origin, { origins: [other.url], clock: new Date() })
    const { page, context } = visitor
    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await submitSignIn(page, 'olivia')
    await page.goto(LINK)
    await reason(page).fill(TYPED)
    clock.by((TTL - 50) * 1000)
    await page.clock.fastForward((TTL - 50) * 1000)
    await other.impersonate({ customer: 'bob' })
    await strip(page).getByText(reads("You're acting as Bob Marsh")).waitFor()
    expect(await reason(page).inputValue()).to.equal(TYPED)
    const renewed = page.waitForRequest(/prompt=none/)
    await page.getByRole('link', { name: 'What I did' }).click()
    await renewed
    await page.getByRole('heading', { name: 'What I did' }).waitFor()
    expect(home(page)).to.equal('/console/audit')

    visitor.expectFailure(/\/console\/(?:audit|stream)/, 401)
    await context.clearCookies({ name: 'support-console' })
    await lookAgain(page)
    await over(page).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: /yes, sign me out/i }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(new URL(page.url()).origin).to.equal(origin)
  })
})
