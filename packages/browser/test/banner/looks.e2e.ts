import { join } from 'node:path'
import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible } from '../../../console/test/e2e/support/axe.ts'
import { NARROWEST, WIDE } from '../../../console/test/e2e/support/visit.ts'
import { servedBanner, showBanner, visitBanner } from '../support/banner-page.ts'

const NAMES = { actorName: 'Olivia Reyes', userName: 'Alice Ng', changes: true }
const LONG = 'Wolfeschlegelsteinhausenbergerdorff '.repeat(28)

/** Every state of a banner: from a banner that has just appeared with so many seconds left. */
const STATES: Readonly<
  Record<string, { seconds: number; follow?: (page: Page) => Promise<void> }>
> = {
  quiet: { seconds: 600 },
  'last-seconds': { seconds: 29 },
  ending: { seconds: 600, follow: (page) => page.getByRole('button', { name: 'End' }).click() },
  failed: {
    seconds: 42,
    async follow(page) {
      await page.getByRole('button', { name: 'End' }).click()
      await page.evaluate(() => window.lab.current?.fail())
      await page.getByText('You still act, because').waitFor()
    },
  },
  over: {
    seconds: 600,
    async follow(page) {
      await page.evaluate(() => window.lab.current?.finish('ended'))
    },
  },
}

describe('<impersonation-banner>: how it looks', () => {
  const server = servedBanner()

  for (const [size, viewport] of Object.entries({ narrow: NARROWEST, wide: WIDE })) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`has no fault that axe knows: ${size}, ${colorScheme}, in every state`, async () => {
        await using person = await visitBanner(server.url, { viewport, colorScheme })
        const { page } = person
        for (const [state, { seconds, follow }] of Object.entries(STATES)) {
          const region = await showBanner(page, { seconds }, NAMES)
          await follow?.(page)
          await expectAccessible(page)
          await page.emulateMedia({ colorScheme })
          await expectWhole(region, viewport.width)
          await picture(page, `${size}-${colorScheme}-${state}`)
        }
      })
    }

    it(`keeps long names in bounds, with no fault that axe knows: ${size}`, async () => {
      await using person = await visitBanner(server.url, { viewport })
      const { page } = person
      const region = await showBanner(page, {}, { userName: LONG, actorName: LONG, ticket: LONG })
      await expectAccessible(page)
      await expectWhole(region, viewport.width)
      await picture(page, `${size}-long`)
    })
  }

  it('is readable at twice the size of text, in the narrowest window', async () => {
    await using person = await visitBanner(server.url, { viewport: NARROWEST })
    const { page } = person
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
    })
    for (const [state, { seconds, follow }] of Object.entries(STATES)) {
      const region = await showBanner(page, { seconds }, NAMES)
      await follow?.(page)
      await expectWhole(region, NARROWEST.width)
      await picture(page, `magnified-${state}`)
    }
  })

  it('leaves room for the page where the window is low', async () => {
    await using person = await visitBanner(server.url, { viewport: { width: 320, height: 256 } })
    const { page } = person
    const region = await showBanner(page, {}, NAMES)
    await page.getByRole('button', { name: 'Order again' }).scrollIntoViewIfNeeded()
    expect((await region.boundingBox())?.y).to.be.below(0)
    await page.setViewportSize({ width: 320, height: 400 })
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    expect((await region.boundingBox())?.y).to.equal(0)
  })

  it('has borders where the system forces its own colours, other ones in the last 30 seconds', async () => {
    await using person = await visitBanner(server.url, { viewport: WIDE })
    const { page } = person
    await page.emulateMedia({ forcedColors: 'active' })
    const borders: string[] = []
    for (const [state, { seconds, follow }] of Object.entries(STATES)) {
      const region = await showBanner(page, { seconds }, NAMES)
      await follow?.(page)
      await picture(page, `forced-colors-${state}`)
      borders.push(
        await region.evaluate((it) => {
          const { borderTop, borderBottom } = getComputedStyle(it)
          return `${borderTop} / ${borderBottom}`
        }),
      )
    }
    const [quiet, lastSeconds, , , over] = borders
    expect(new Set([quiet, lastSeconds, over]).size, String(borders)).to.equal(3)
  })

  it('is on paper with who acted as whom, in full, without what only a screen can do', async () => {
    await using person = await visitBanner(server.url, { viewport: WIDE })
    const { page } = person
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    const region = await showBanner(page, { seconds: 30 }, { ...NAMES, userName: LONG })
    expect(await region.getByText('Olivia Reyes acts as').isVisible()).to.equal(true)
    expect(await region.getByText('SUP-123').isVisible()).to.equal(true)
    expect(await region.getByRole('button').count()).to.equal(0)
    expect(await region.getByRole('timer').count()).to.equal(0)
    const [name, paper] = await region.evaluate((it) => {
      const long = it.querySelector('.long')
      const { color, backgroundColor } = getComputedStyle(it)
      return [long && getComputedStyle(long).display, [color, backgroundColor]] as const
    })
    expect(name).to.equal('inline')
    expect(paper).to.deep.equal(['rgb(0, 0, 0)', 'rgb(255, 255, 255)'])
    await picture(page, 'print')
  })

  it('is themed by custom properties and parts', async () => {
    await using person = await visitBanner(server.url, { viewport: WIDE })
    const { page } = person
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(`
        impersonation-banner {
          position: static;
          --impersonation-banner-color: rgb(1, 1, 1);
          --impersonation-banner-background: rgb(2, 2, 2);
          --impersonation-banner-border: rgb(3, 3, 3);
          --impersonation-banner-urgent-color: rgb(4, 4, 4);
          --impersonation-banner-urgent-background: rgb(5, 5, 5);
        }
        ${['who', 'name', 'ticket', 'mode', 'countdown', 'end', 'notice', 'next']
          .map(
            (part, index) =>
              `impersonation-banner::part(${part}) { outline: ${index + 1}px solid }`,
          )
          .join('\n')}
      `)
      document.adoptedStyleSheets = [sheet]
    })
    const clock = new Date()
    await page.clock.install({ time: clock })
    await page.clock.pauseAt(clock.getTime() + 60_000)
    const region = await showBanner(page, { seconds: 31 }, NAMES)
    const colours = () =>
      region.evaluate((it) => {
        const { color, backgroundColor, borderBottomColor } = getComputedStyle(it)
        return [color, backgroundColor, borderBottomColor]
      })
    expect(await colours()).to.deep.equal(['rgb(1, 1, 1)', 'rgb(2, 2, 2)', 'rgb(3, 3, 3)'])
    await page.clock.runFor(1000)
    expect((await colours()).slice(0, 2)).to.deep.equal(['rgb(4, 4, 4)', 'rgb(5, 5, 5)'])
    await page.evaluate(() => window.lab.current?.finish('ended'))
    const outlines = await region
      .locator('[part]')
      .evaluateAll((parts) => parts.map((it) => getComputedStyle(it).outlineWidth))
    expect(new Set(outlines)).to.deep.equal(
      new Set([1, 2, 3, 4, 5, 6, 7, 8].map((width) => `${width}px`)),
    )
  })
})

/** Expects that nothing is cut off at the sides, and nothing lies over something else. */
async function expectWhole(region: Locator, width: number): Promise<void> {
  const boxes: { x: number; y: number; width: number; height: number }[] = []
  for (const part of await region.locator('> :visible:not([role=status])').all()) {
    const box = await part.boundingBox()
    if (!box) continue
    expect(box.x).to.be.at.least(0)
    expect(box.x + box.width).to.be.at.most(width)
    for (const other of boxes) {
      const apart =
        box.y >= other.y + other.height - 1 ||
        other.y >= box.y + box.height - 1 ||
        box.x >= other.x + other.width ||
        other.x >= box.x + box.width
      expect(apart, `${await part.textContent()} lies over something`).to.equal(true)
    }
    boxes.push(box)
  }
  const excess = await region.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(excess, 'scrolls to the side').to.equal(0)
}

/** For the eye: `PICTURES=<folder>` keeps a picture of each. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) })
}
