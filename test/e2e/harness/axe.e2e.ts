import { expect } from 'chai'
import type { Example } from '../../../example-provider/server.ts'
import { expectAccessible, objectionsTo } from '../support/axe.ts'
import { visit } from '../support/visit.ts'
import { blamelessPage } from './page.ts'

describe('axe', () => {
  let server: Example

  before(async () => {
    server = await blamelessPage()
  })
  after(() => server.close())

  it('has nothing against a page without a fault', async () => {
    await using person = await visit(server.url)
    await person.page.goto('/')
    await expectAccessible(person.page)
  })

  it('names the rule, the element and what to do', async () => {
    await using person = await visit(server.url)
    const { page } = person
    await page.goto('/')
    await page.evaluate(() => {
      const field = document.createElement('input')
      field.id = 'nameless'
      document.querySelector('h1')?.after(field)
      const pale = document.createElement('p')
      pale.append('Hardly to be seen')
      pale.style.color = '#ccc'
      field.after(pale)
      // A recommendation, and no rule of WCAG.
      pale.after(document.createElement('h4'))
    })
    const objections = await objectionsTo(page)
    const named = (rule: string) => objections.find((it) => it.startsWith(`${rule}: `))
    expect(named('label')).to.match(/#nameless: Fix any of the following/)
    expect(named('color-contrast')).to.match(/ p: /)
    expect(named('empty-heading')).to.match(/ h4: /)
    const refusal = await expectAccessible(page).catch((error: Error) => error.message)
    expect(refusal).to.include('#nameless')
  })

  it('sees the colors of the dark scheme', async () => {
    await using person = await visit(server.url, { colorScheme: 'dark' })
    const { page } = person
    await page.goto('/')
    await page.evaluate(() => {
      document.body.style.background = 'light-dark(white, black)'
      document.body.style.color = '#222'
      document.documentElement.style.colorScheme = 'light dark'
    })
    expect((await objectionsTo(page)).join()).to.include('color-contrast')
  })
})
