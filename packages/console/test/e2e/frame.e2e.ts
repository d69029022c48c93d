import { expect } from 'chai'
import { shared } from '../../../../test/support/shared.ts'
import { deploy } from '../support/deployment.ts'
import { expectNothingCut } from './support/fit.ts'
import { expectFocus, tabTo } from './support/focus.ts'
import { heading, signedIn } from './support/operating.ts'
import { expectGoodLooks } from './support/pictures.ts'
import { NARROWEST, visit } from './support/visit.ts'

describe('the frame of the console', function () {
  this.timeout(120_000)
  const deployment = shared(() => deploy())

  it('looks good to a person who is not in', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await expectGoodLooks(page, 'frame-door')
    expect((await page.getByRole('main').boundingBox())?.height, 'no gaps').to.be.below(300)
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

  it('says that a page does not exist, with a way on', async () => {
    await using visitor = await signedIn(deployment)
    const { page } = visitor
    visitor.expectFailure('/console/nothing/here', 404)
    await page.goto('/console/nothing/here')
    await heading(page, 'There is no such page').waitFor()
    await expectGoodLooks(page, 'frame-no-page')
    await page.getByRole('link', { name: 'Back to home' }).click()
    await page.getByRole('searchbox').waitFor()
  })

  it('is used by keys, but not while a person types', async () => {
    await using visitor = await signedIn(deployment, 'olivia', '/console/customers/alice')
    const { page } = visitor
    await heading(page, 'Alice Ng').waitFor()
    await page.keyboard.press('Escape')
    const search = page.getByRole('searchbox')
    await expectFocus(search)
    await search.blur()
    await page.keyboard.press('/')
    await expectFocus(search)
    await page.keyboard.type('a/b')
    expect(await search.inputValue()).to.equal('a/b')
  })

  it('is reached by the keyboard alone, in the order in which it is read', async () => {
    await using visitor = await signedIn(deployment, 'grace', '/console/customers')
    const { page } = visitor
    await page.getByRole('searchbox').waitFor()
    await page.reload()
    await page.getByRole('searchbox').waitFor()
    // From the start of the page.
    await page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    })
    await tabTo(page.getByRole('link', { name: 'Skip to the content' }))
    await tabTo(page.getByRole('link', { name: 'Support console' }))
    await tabTo(page.getByRole('link', { name: 'Audit' }))
    await tabTo(page.getByRole('button', { name: 'Sign out' }))
    await tabTo(page.getByRole('searchbox'))
    await tabTo(page.getByRole('link', { name: 'Support console' }), 'Shift+Tab')
    await tabTo(page.getByRole('link', { name: 'Skip to the content' }), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await expectFocus(page.locator('main'))
  })

  it('can be magnified: 200 % of a laptop, 400 %, and large letters', async () => {
    await using visitor = await signedIn(deployment, 'grace')
    const { page } = visitor
    await heading(page, 'Inbox').waitFor()
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

  it('has one edge and one width for lists and what they lead to, and one width for forms', async () => {
    await using visitor = await signedIn(deployment, 'grace', '/console', {
      viewport: { width: 1600, height: 900 },
    })
    const { page } = visitor
    const boxOf = async (path: string) => {
      await page.goto(`/console${path}`)
      const [edge, box] = [page.locator('h1'), page.locator('.page')].map((it) => it.boundingBox())
      return `${(await edge)?.x} ${Math.round((await box)?.width ?? 0)}`
    }
    const boxesOf = async (...paths: string[]) => {
      const found = new Set<string>()
      for (const path of paths) found.add(await boxOf(path))
      return [...found]
    }
    expect(await boxesOf('', '/customers', '/audit', '/customers/alice')).to.deep.equal(['24 1552'])
    expect(await boxesOf('/act?user=alice', '/act', '/rules')).to.deep.equal(['24 960'])
  })
})
