import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type ServerRendered, serverRendered } from '../../../test/docs/server-rendered-app.ts'
import type { Example } from '../../../test/example-provider/support.ts'
import { browser } from '../../console/test/e2e/support/browser.ts'
import { posting, submitForm } from './support/posting.ts'
import { addSession } from './support/session-cookies.ts'

describe('docs/server-rendered.md in Chromium, with the shop on another site than provider and console', () => {
  let support: Example
  let evil: Example
  let shop: ServerRendered

  before(async () => {
    support = await posting('/impersonation')
    evil = await posting('/impersonation/end')
    shop = await serverRendered({ host: 'localhost', backOffice: support.url })
  })
  after(async () => {
    await Promise.all([support.close(), evil.close(), shop[Symbol.asyncDispose]()])
  })

  /** A new window, in which olivia is signed in at the provider. */
  async function operator(): Promise<Page> {
    const context = await (await browser()).newContext()
    await addSession(context, shop.deployment)
    return context.newPage()
  }

  it('acts after the form of another site: the cookies arrive where they have to', async () => {
    const page = await operator()
    await submitForm(page, support, shop.origin, 'impersonation', await shop.subjectToken())
    await page.waitForURL(`${shop.origin}/orders`)
    await page.getByText('olivia acts as alice').waitFor()
    await page.getByText('beans of alice, seen by olivia').waitFor()
    expect(await page.evaluate(() => document.cookie)).to.equal('')
    const cookies = await page.context().cookies(shop.origin)
    expect(cookies.map(({ name }) => name)).to.deep.equal(['__Host-impersonation'])

    await page.getByRole('button', { name: 'End' }).click()
    await page.getByText('Acting has ended.').waitFor()
    expect(await page.context().cookies(shop.origin)).to.deep.equal([])
    await page.goBack()
    await page.getByText('Sign in.').waitFor()
    await page.context().close()
  })

  it('is not ended by the form of another site', async () => {
    const page = await operator()
    await submitForm(page, support, shop.origin, 'impersonation', await shop.subjectToken())
    await page.waitForURL(`${shop.origin}/orders`)
    await submitForm(page, evil, shop.origin, 'csrf', 'guessed')
    await page.getByText('Nothing was ended').waitFor()
    await page.goto(`${shop.origin}/orders`)
    await page.getByText('olivia acts as alice').waitFor()
    await page.context().close()
  })

  it('does not begin by the form of a foreign page', async () => {
    const page = await operator()
    const foreign = await posting('/impersonation')
    await submitForm(page, foreign, shop.origin, 'impersonation', await shop.subjectToken())
    await page.getByText('This page is opened from the back office.').waitFor()
    await foreign.close()
    await page.context().close()
  })
})
