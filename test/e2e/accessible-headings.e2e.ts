import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { banner, pressStart, sayWhy } from './support/acting.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { signIn } from './support/sign-in.ts'
import { visit } from './support/visit.ts'

describe('a change of view', () => {
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  it('begins at its heading, where screen readers go on, with its link and the title', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await page.goto('/console')
    await expectToBeginAt(page, 'Support console')
    await signIn(page, page.getByRole('button', { name: 'Sign in' }))
    await expectToBeginAt(page, 'Customers')
    await sayWhy(page)
    await expectOneHeading(page, 'Act as Alice Ng')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expectToBeginAt(page, 'Customers')
    await page.getByRole('button', { name: 'Act as Alice Ng' }).click()
    await expectToBeginAt(page, 'Act as Alice Ng')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await sayWhy(page)
    await pressStart(page)
    await expectToBeginAt(page, 'Orders of Alice Ng')
    const current = page.getByRole('navigation').locator('[aria-current]')
    expect(await current.allTextContents()).to.deep.equal(['Orders'])
    for (const view of ['Customers', 'Look inside', 'Audit']) {
      await page.getByRole('link', { name: view }).click()
      await expectToBeginAt(page, view)
      expect(await current.allTextContents()).to.deep.equal([view])
      expect(await page.title()).to.equal('Acting as Alice Ng · Support console')
    }
    await page.goBack()
    await expectToBeginAt(page, 'Look inside')
    await banner(page).getByRole('button', { name: 'End' }).click()
    await expectToBeginAt(page, 'Customers')
    expect(await page.title()).to.equal('Support console')
  })

  it('begins at its heading for those who are turned away, and in their account', async () => {
    await using person = await visit(example.url)
    const { page } = person
    person.expectFailure('/support/me', 403)
    await page.goto('/console')
    await signIn(page, page.getByRole('button', { name: 'Sign in' }), 'bob')
    await expectToBeginAt(page, 'This console is for support staff')
    await page.goto('/account')
    await expectToBeginAt(page, 'Your account')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expectToBeginAt(page, 'Who acted as you')
  })
})

async function expectToBeginAt(page: Page, name: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 1, name, exact: true })
  await heading.and(page.locator(':focus')).waitFor()
  await expectOneHeading(page, name)
}

async function expectOneHeading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  expect(await page.locator('h1:visible').allTextContents()).to.deep.equal([name])
}
