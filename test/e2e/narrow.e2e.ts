import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { act, banner, enterConsole } from './support/acting.ts'
import { launchExample } from './support/server.ts'
import { TOURS } from './support/tours.ts'
import { NARROW, visit } from './support/visit.ts'

/** What a page of 1280 becomes when it is magnified four times: WCAG 1.4.10. */
const NARROWEST = { width: 320, height: 640 } as const

describe('every view, on a narrow screen', function () {
  this.timeout(60_000)

  for (const viewport of [NARROW, NARROWEST]) {
    for (const [name, walk] of Object.entries(TOURS)) {
      it(`fits: ${name}, ${viewport.width} wide`, async () => {
        await using example = await launchExample()
        await using person = await visit(example.url, { viewport })
        const objections: string[] = []
        await walk(person, async (view) => {
          for (const misfit of await misfits(person.page)) objections.push(`${view}: ${misfit}`)
        })
        expect(objections.join('\n')).to.equal('')
      })
    }
  }

  it('shows what to press beside each name, before anything is scrolled sideways', async () => {
    await using example = await launchExample()
    await using person = await visit(example.url, { viewport: NARROW })
    const { page } = person
    await enterConsole(page)
    const box = await page.getByRole('button', { name: 'Act as Alice Ng' }).boundingBox()
    expect(box?.x).to.be.at.least(0)
    expect((box?.x ?? 0) + (box?.width ?? Number.NaN)).to.be.at.most(NARROW.width)
  })

  it('leaves wide tables to scroll by themselves, by keyboard, too', async () => {
    await using example = await launchExample()
    await using person = await visit(example.url, { viewport: NARROWEST })
    const { page } = person
    await act(page)
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText('2 entries').waitFor()
    const region = page.getByRole('region', { name: 'Entries of the audit' })
    const [needed = 0, there = 0] = await region.evaluate((it) => [it.scrollWidth, it.clientWidth])
    expect(needed).to.be.greaterThan(there)
    await region.focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForFunction(() => {
      const table = document.querySelector('#audit-entries')?.closest('[role=region]')
      return table !== null && table !== undefined && table.scrollLeft > 0
    })
  })

  it('keeps the banner on top of whatever is scrolled to', async () => {
    await using example = await launchExample()
    await using person = await visit(example.url, { viewport: NARROWEST })
    const { page } = person
    await act(page)
    for (const view of ['Orders', 'Look inside', 'Audit', 'Customers']) {
      await page.getByRole('link', { name: view }).click()
      await page.mouse.move(160, 500)
      await page.mouse.wheel(0, 5000)
      await banner(page).getByRole('button', { name: 'End' }).waitFor()
      const box = await banner(page).boundingBox()
      expect(box?.y, view).to.equal(0)
      expect(box?.height, view).to.be.below(NARROWEST.height / 3)
    }
  })
})

/** What is wider than the screen, or sticks out of it, in words. */
function misfits(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    const wrong: string[] = []
    if (scrollWidth > clientWidth) wrong.push(`the page scrolls sideways, up to ${scrollWidth}`)
    for (const element of document.querySelectorAll('button, a, input, select, textarea, h1, h2')) {
      // What scrolls by itself may hide something, and the skip link is out of the way.
      const isExcused = element.closest('.overflow-auto, .skip') !== null
      if (isExcused || !element.checkVisibility()) continue
      const { left, right } = element.getBoundingClientRect()
      const name = `${element.localName} “${element.textContent || element.id}”`
      if (left < 0 || right > clientWidth) wrong.push(`${name} from ${left} to ${right}`)
      if (element instanceof HTMLButtonElement && element.scrollWidth > element.clientWidth) {
        wrong.push(`${name} is cut off`)
      }
    }
    return wrong
  })
}
