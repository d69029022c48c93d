import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { act, banner, enterConsole, pressStart, sayWhy } from './support/acting.ts'
import { type LaunchedExample, launchExample } from './support/server.ts'
import { signIn } from './support/sign-in.ts'
import { visit } from './support/visit.ts'

describe('a change of view', () => {
  let example: LaunchedExample

  before(async () => {
    example = await launchExample()
  })
  after(() => example[Symbol.asyncDispose]())

  it('begins at its heading, where screen readers go on', async () => {
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
    await page.getByRole('link', { name: 'Look inside' }).click()
    await expectToBeginAt(page, 'Look inside')
    await page.getByRole('link', { name: 'Audit' }).click()
    await expectToBeginAt(page, 'Audit')
    await page.goBack()
    await expectToBeginAt(page, 'Look inside')
    await banner(page).getByRole('button', { name: 'End' }).click()
    await expectToBeginAt(page, 'Customers')
  })

  it('begins at its heading for those who are turned away', async () => {
    await using person = await visit(example.url)
    const { page } = person
    person.expectFailure('/support/me', 403)
    await page.goto('/console')
    await signIn(page, page.getByRole('button', { name: 'Sign in' }), 'bob')
    await expectToBeginAt(page, 'This console is for support staff')
  })

  it('begins at its heading in the account of a customer', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await page.goto('/account')
    await expectToBeginAt(page, 'Your account')
    await signIn(page, page.getByRole('button', { name: 'Sign in' }), 'bob')
    await expectToBeginAt(page, 'Who acted as you')
  })

  it('leaves the name of the customer in the title for as long as they are acted as', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    expect(await page.title()).to.equal('Support console')
    await sayWhy(page, { customer: 'Bob Meyer' })
    await pressStart(page)
    await banner(page).waitFor()
    for (const view of ['Audit', 'Customers', 'Look inside', 'Orders']) {
      await page.getByRole('link', { name: view }).click()
      expect(await page.title()).to.equal('Acting as Bob Meyer · Support console')
    }
    await banner(page).getByRole('button', { name: 'End' }).click()
    expect(await page.title()).to.equal('Support console')
  })

  it('marks the link of the view that is shown', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await act(page)
    const current = page.getByRole('navigation').locator('[aria-current]')
    expect(await current.allTextContents()).to.deep.equal(['Orders'])
    await page.getByRole('link', { name: 'Audit' }).click()
    await expectOneHeading(page, 'Audit')
    expect(await current.allTextContents()).to.deep.equal(['Audit'])
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
