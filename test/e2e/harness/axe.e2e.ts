import { expect } from 'chai'
import { expectAccessible } from '../../../packages/console/test/e2e/support/axe.ts'
import { visit } from '../../../packages/console/test/e2e/support/visit.ts'
import type { Example } from '../../example-provider/support.ts'
import { blamelessPage } from './page.ts'

describe('axe', () => {
  let server: Example

  before(async () => {
    server = await blamelessPage()
  })
  after(() => server.close())

  it('has nothing against a page without a fault; else names the rule, the element and what to do', async () => {
    await using person = await visit(server.url)
    const { page } = person
    await page.goto('/')
    await expectAccessible(page)
    await page.evaluate(() => {
      const field = document.createElement('input')
      field.id = 'nameless'
      document.querySelector('h1')?.after(field)
      // A recommendation, and no rule of WCAG.
      field.after(document.createElement('h4'))
    })
    const refusal = String(await expectAccessible(page).catch((error: Error) => error.message))
    expect(refusal).to.match(/^label: .*\n {2}#nameless: Fix any of the following/m)
    expect(refusal).to.match(/^empty-heading: .*\n {2}h4: /m)
    expect(refusal).not.to.include('color-contrast')
  })

  it('sees pale text in either scheme', async () => {
    await using person = await visit(server.url)
    const { page } = person
    await page.goto('/')
    for (const color of ['light-dark(#ccc, white)', 'light-dark(black, #222)']) {
      await page.evaluate((value) => {
        document.documentElement.style.colorScheme = 'light dark'
        document.body.style.background = 'light-dark(white, black)'
        document.body.style.color = value
      }, color)
      const refusal = await expectAccessible(page).catch((error: Error) => error.message)
      expect(refusal, color).to.match(/^color-contrast: .*\n {2}h1: /m)
    }
  })
})
