import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type Deployment, deploy } from '../support/deployment.ts'
import { FRENCH } from '../support/french.ts'
import { enter } from './support/enter.ts'
import { expectNothingCut } from './support/fit.ts'
import { expectFocus, tabTo } from './support/focus.ts'
import { goTo, visitDeployment } from './support/operating.ts'
import { expectGoodLooks } from './support/pictures.ts'
import { NARROWEST, visit } from './support/visit.ts'

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' })

describe('the frame of the console', function () {
  this.timeout(120_000)
  let deployment: Deployment
  before(async () => {
    deployment = await deploy()
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('looks good to a person who is not in', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await expectGoodLooks(page, 'frame-door')
  })

  it('turns away a person without a role, and lets another one sign in', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    visitor.expectFailure('/console/audit', 403)
    await page.goto('/console/audit')
    await page.getByLabel('Login').fill('alice')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await heading(page, 'You have no role here').waitFor()
    await expectGoodLooks(page, 'frame-turned-away')
    await page.getByRole('link', { name: 'Sign in as another person' }).click()
    await page.getByLabel('Login').fill('ada')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Ada Byron').waitFor()
    expect(new URL(page.url()).pathname).to.equal('/console')
  })

  it('shows each role its pages, and no others', async () => {
    const linksOf = async (person: string) => {
      await using visitor = await visit(deployment.url)
      await enter(visitor.page, person)
      const links = visitor.page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
      return await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    }
    const operator = await linksOf('olivia')
    expect(operator).to.include('/console').and.not.include('/console/alarms')
    const lead = ['/console', '/console/customers', '/console/alarms']
    expect(await linksOf('grace')).to.include.members(lead)
    expect(await linksOf('ada'))
      .to.include.members(['/console', '/console/audit'])
      .and.not.include('/console/customers')
  })

  it('says that a page does not exist, with a way on', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    await enter(page, 'olivia', '/console/nothing/here')
    await heading(page, 'There is no such page').waitFor()
    await expectGoodLooks(page, 'frame-no-page')
    await page.getByRole('link', { name: 'Back to home' }).click()
    await page.getByRole('searchbox').waitFor()
  })

  it('is used by shortcuts, but not while a person types', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    await enter(page, 'olivia', '/console/audit')
    await heading(page, 'What I did').waitFor()
    await page.keyboard.press('?')
    await dialog(page).waitFor()
    await expectGoodLooks(page, 'frame-shortcuts')
    expect(await dialog(page).locator('kbd').allTextContents()).to.include.members([
      '/',
      '?',
      'Esc',
    ])
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname, 'Esc closes the dialog only').to.equal('/console/audit')

    await page.keyboard.press('/')
    await expectFocus(page.getByRole('searchbox'))
    await page.keyboard.type('a/b?')
    expect(await page.getByRole('searchbox').inputValue()).to.equal('a/b?')
    expect(await dialog(page).count()).to.equal(0)
  })

  it('goes back by Esc: to the page before, or to the one above', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    await enter(page, 'olivia', '/console/customers/alice')
    await heading(page, /Alice Ng/).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('searchbox').waitFor()
    await page.getByRole('link', { name: 'What I did' }).click()
    await heading(page, 'What I did').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('searchbox').waitFor()
  })

  it('is reached by the keyboard alone, in the order in which it is read', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    await enter(page, 'grace', '/console/customers')
    await page.getByRole('searchbox').waitFor()
    await page.reload()
    await page.getByRole('searchbox').waitFor()
    // From the start of the page.
    await page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    })
    await tabTo(page.getByRole('link', { name: 'Skip to the content' }))
    await tabTo(page.getByRole('link', { name: 'Support console' }))
    await tabTo(page.getByRole('link', { name: /Running now/ }))
    await tabTo(page.getByRole('button', { name: 'Sign out' }))
    await tabTo(page.getByRole('searchbox'))
    await tabTo(page.getByRole('link', { name: 'Support console' }), 'Shift+Tab')
    await tabTo(page.getByRole('link', { name: 'Skip to the content' }), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await expectFocus(page.locator('main'))
  })

  it('can be magnified: 200 % of a laptop, 400 %, and large letters', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    await enter(page, 'grace', '/console/running')
    await heading(page, 'Running now').waitFor()
    for (const size of [{ width: 640, height: 400 }, NARROWEST]) {
      await page.setViewportSize(size)
      await expectNothingCut(page)
    }
    // The setting of a browser for large letters.
    await page.setViewportSize({ width: 1280, height: 800 })
    const devTools = await page.context().newCDPSession(page)
    await devTools.send('Page.enable')
    await devTools.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
    await expectNothingCut(page)
  })

  it('speaks German where the browser does', async () => {
    await using visitor = await visit(deployment.url, { locale: 'de-DE' })
    const { page } = visitor
    await enter(page, 'grace', '/console/running')
    expect(await page.locator('html').getAttribute('lang')).to.equal('de')
    await page.getByRole('button', { name: 'Abmelden' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Tastenkürzel' }).waitFor()
    await page.keyboard.press('Escape')
    await expectGoodLooks(page, 'frame-german')
  })

  it('speaks a language that the deployment added, and English where that has no words', async () => {
    await using added = await deploy({ console: { words: { fr: FRENCH } } })
    await using visitor = await visit(added.url, { locale: 'fr-CA' })
    const { page } = visitor
    await enter(page, 'grace', '/console/running')
    expect(await page.locator('html').getAttribute('lang')).to.equal('fr')
    await heading(page, 'Running now').waitFor()
    await page.getByText('Console du support').first().waitFor()
  })

  it('every page begins at one edge, so that no heading moves when the page changes', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'grace', '/console/customers')
    const edges = new Map<string, number | undefined>()
    for (const path of ['/customers', '/running', '/audit', '/alarms', '/customers/alice']) {
      await goTo(page, `/console${path}`)
      await page.waitForURL(`**/console${path}`)
      await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
      edges.set(path, (await page.locator('h1').boundingBox())?.x)
    }
    expect(new Set(edges.values()).size, JSON.stringify([...edges])).to.equal(1)
  })

  it('has one width for lists and what they lead to, and one for forms', async () => {
    await using visit = await visitDeployment(deployment, {
      viewport: { width: 1600, height: 900 },
    })
    const { page } = visit
    await enter(page, 'grace')
    const widths = async (paths: readonly string[]) => {
      const found = new Map<string, number>()
      for (const path of paths) {
        await goTo(page, `/console${path}`)
        await page.waitForURL(`**/console${path}`)
        await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
        const box = await page.locator('.page').boundingBox()
        found.set(path, Math.round(box?.width ?? 0))
      }
      return [...new Set(found.values())]
    }
    const lists = ['/customers', '/running', '/audit', '/alarms', '/customers/alice']
    expect(await widths(lists)).to.deep.equal([1552])
    expect(await widths(['/act?user=alice', '/act'])).to.deep.equal([960])
    await page.goto('/console/rules')
    expect(Math.round((await page.locator('.page').boundingBox())?.width ?? 0)).to.equal(960)
  })
})
