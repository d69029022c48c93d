import { expect } from 'chai'
import { banner, enterConsole, startActing } from './support/acting.ts'
import { sharedExample } from './support/server.ts'
import { NARROW, NARROWEST, visit } from './support/visit.ts'

describe('on a narrow screen', () => {
  it('what to press is beside each name, tables scroll by themselves, and the banner stays on top', async () => {
    const example = await sharedExample()
    await using person = await visit(example.url, { viewport: NARROW })
    const { page } = person
    await enterConsole(page)
    const button = await page.getByRole('button', { name: 'Act as Alice Ng' }).boundingBox()
    expect(button?.x).to.be.at.least(0)
    expect((button?.x ?? 0) + (button?.width ?? Number.NaN)).to.be.at.most(NARROW.width)

    await page.setViewportSize(NARROWEST)
    await startActing(page)
    for (const view of ['Orders', 'Look inside', 'Customers', 'Audit']) {
      await page.getByRole('link', { name: view }).click()
      await page.mouse.move(160, 500)
      await page.mouse.wheel(0, 5000)
      await banner(page).getByRole('button', { name: 'End' }).waitFor()
      const box = await banner(page).boundingBox()
      expect(box?.y, view).to.equal(0)
      expect(box?.height, view).to.be.below(NARROWEST.height / 3)
    }

    await page.getByText(/^\d+ entr/).waitFor()
    const region = page.getByRole('region', { name: 'Entries of the audit' })
    const [needed = 0, there = 0] = await region.evaluate((it) => [it.scrollWidth, it.clientWidth])
    expect(needed).to.be.greaterThan(there)
    // By keyboard, too.
    await region.focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForFunction(() => {
      const table = document.querySelector('#audit-entries')?.closest('[role=region]')
      return table !== null && table !== undefined && table.scrollLeft > 0
    })
  })
})
