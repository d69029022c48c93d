import { expect } from 'chai'
import { type Deployment, deploy } from '../support/deployment.ts'
import { submitSignIn } from './support/enter.ts'
import { visit } from './support/visit.ts'

const LINK = '/console/act?user=alice&ticket=SUP-9'

describe('the console at another site than the provider', function () {
  this.timeout(60_000)
  let deployment: Deployment
  before(async () => {
    deployment = await deploy({ elsewhere: true })
  })
  after(() => deployment[Symbol.asyncDispose]())

  const open = (clock = new Date()) =>
    visit(new URL(deployment.consoleUrl).origin, { origins: [deployment.url], clock })

  it('shows its sign-in page at the first visit, and goes on where a session is', async () => {
    await using visitor = await open()
    const { page } = visitor
    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await submitSignIn(page, 'olivia')
    await page.getByRole('searchbox').waitFor()
    await page.goto('/console/audit')
    await page.getByRole('heading', { name: 'What I did' }).waitFor()
    expect(page.url()).to.equal(`${new URL(deployment.consoleUrl).origin}/console/audit`)
  })

  it('renews the sign-in by a redirect that keeps the address and what was typed', async () => {
    await using visitor = await open()
    const { page, urls } = visitor
    await page.goto(LINK)
    await submitSignIn(page, 'olivia')
    await page.getByLabel(/reason/i).fill('Typed before the renewal')
    const running = await deployment.impersonate()
    const asked = () => urls.filter((url) => url.includes('prompt=none')).length
    const before = asked()
    await page.clock.fastForward(3_541_000)
    expect(await page.getByLabel(/reason/i).inputValue(), 'nothing moves by itself').not.to.equal(
      '',
    )
    // The next request needs the token.
    await page.getByRole('link', { name: 'What I did' }).click()
    await page.waitForURL(/prompt=none|\/console\/audit/)
    await page.getByRole('table').waitFor()
    expect(asked()).to.equal(before + 1)
    expect(new URL(page.url()).pathname).to.equal('/console/audit')
    await page.goto(LINK)
    await page.getByRole('heading', { name: /Alice Ng/ }).waitFor()
    expect(await page.getByLabel(/reason/i).inputValue()).to.equal('Typed before the renewal')
    expect(await running.look(), 'what runs goes on').to.equal(200)
  })

  it('signs out at the provider', async () => {
    await using visitor = await open()
    const { page } = visitor
    await page.goto('/console/audit')
    await submitSignIn(page, 'olivia')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: /yes, sign me out/i }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(page.url()).to.equal(deployment.consoleUrl)
  })
})
