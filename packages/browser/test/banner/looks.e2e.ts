import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible } from '../../../console/test/e2e/support/axe.ts'
import { NARROWEST, WIDE } from '../../../console/test/e2e/support/visit.ts'
import {
  bannerTests,
  expectCount,
  finish,
  settle,
  showBanner,
  timeIn,
} from '../support/banner-page.ts'

const NAMES = { actorName: 'Olivia Okafor', userName: 'Alice Ng', changes: true }
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
      await settle(page, 'fail')
      await page.getByText('You still act, because').waitFor()
    },
  },
  over: {
    seconds: 600,
    async follow(page) {
      await finish(page, 'ended')
    },
  },
}

/** Shows the banner in one state after the other. */
async function inEveryState(page: Page, look: (region: Locator) => Promise<void>): Promise<void> {
  for (const { seconds, follow } of Object.values(STATES)) {
    const region = await showBanner(page, { seconds }, NAMES)
    await follow?.(page)
    await look(region)
  }
}

describe('<impersonation-banner>: how it looks', () => {
  const test = bannerTests()

  for (const [size, viewport] of Object.entries({ narrow: NARROWEST, wide: WIDE })) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(
        `has no fault that axe knows: ${size}, ${colorScheme}, in every state`,
        async ({ page }) => {
          await inEveryState(page, async (region) => {
            await expectAccessible(page)
            await page.emulateMedia({ colorScheme })
            await expectWhole(region, viewport.width)
          })
        },
        { viewport, colorScheme },
      )
    }

    test(
      `keeps long names in bounds, and text of twice the size: ${size}`,
      async ({ page }) => {
        const region = await showBanner(page, {}, { userName: LONG, actorName: LONG, ticket: LONG })
        await expectAccessible(page)
        await expectWhole(region, viewport.width)
        await page.evaluate(() => {
          document.documentElement.style.fontSize = '200%'
        })
        await inEveryState(page, (magnified) => expectWhole(magnified, viewport.width))
      },
      { viewport },
    )
  }

  test(
    'leaves room for the page where the window is low',
    async ({ page }) => {
      const region = await showBanner(page, {}, NAMES)
      await page.getByRole('button', { name: 'Order again' }).scrollIntoViewIfNeeded()
      expect((await region.boundingBox())?.y).to.be.below(0)
      await page.setViewportSize({ width: 320, height: 400 })
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
      expect((await region.boundingBox())?.y).to.equal(0)
    },
    { viewport: { width: 320, height: 256 } },
  )

  test(
    'has borders where the system forces its own colours, other ones in the last 30 seconds',
    async ({ page }) => {
      await page.emulateMedia({ forcedColors: 'active' })
      const borders: string[] = []
      await inEveryState(page, async (region) => {
        borders.push(
          await region.evaluate((it) => {
            const { borderTop, borderBottom } = getComputedStyle(it)
            return `${borderTop} / ${borderBottom}`
          }),
        )
      })
      const [quiet, lastSeconds, , , over] = borders
      expect(new Set([quiet, lastSeconds, over]).size, String(borders)).to.equal(3)
    },
    { viewport: WIDE },
  )

  test(
    'is on paper with who acted as whom, in full, without what only a screen can do',
    async ({ page }) => {
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      const region = await showBanner(page, { seconds: 30 }, { ...NAMES, userName: LONG })
      expect(await region.getByText('Olivia Okafor acts as').isVisible()).to.equal(true)
      expect(await region.getByText('SUP-123').isVisible()).to.equal(true)
      await expectCount(region.getByRole('button'), 0)
      await expectCount(region.getByRole('timer'), 0)
      const [name, paper] = await region.evaluate((it) => {
        const long = it.querySelector('.long')
        const { color, backgroundColor } = getComputedStyle(it)
        return [long && getComputedStyle(long).display, [color, backgroundColor]] as const
      })
      expect(name).to.equal('inline')
      expect(paper).to.deep.equal(['rgb(0, 0, 0)', 'rgb(255, 255, 255)'])
    },
    { viewport: WIDE },
  )

  test(
    'is themed by custom properties and parts',
    async ({ page }) => {
      await page.evaluate(() => {
        const sheet = new CSSStyleSheet()
        const parts = ['who', 'name', 'ticket', 'mode', 'countdown', 'end', 'notice', 'next']
        const rules = parts.map(
          (part, index) => `impersonation-banner::part(${part}) { outline: ${index + 1}px solid }`,
        )
        sheet.replaceSync(`
        impersonation-banner {
          position: static;
          --impersonation-banner-color: rgb(1, 1, 1);
          --impersonation-banner-background: rgb(2, 2, 2);
          --impersonation-banner-border: rgb(3, 3, 3);
          --impersonation-banner-urgent-color: rgb(4, 4, 4);
          --impersonation-banner-urgent-background: rgb(5, 5, 5);
        }
        ${rules.join('\n')}
      `)
        document.adoptedStyleSheets = [sheet]
      })
      const clock = new Date()
      await page.clock.install({ time: clock })
      await page.clock.pauseAt(clock.getTime() + 60_000)
      const region = await showBanner(page, { seconds: 31 }, NAMES)
      const looks = () =>
        region.evaluate((it) => {
          const { color, backgroundColor, borderBottomColor, borderBottomStyle } =
            getComputedStyle(it)
          const timer = it.querySelector('[role=timer]')
          return {
            ...{ color, backgroundColor, borderBottomColor, borderBottomStyle },
            weight: timer && getComputedStyle(timer).fontWeight,
            height: it.getBoundingClientRect().height,
          }
        })
      const before = await looks()
      expect(before).to.include({ color: 'rgb(1, 1, 1)', backgroundColor: 'rgb(2, 2, 2)' })
      expect(before.borderBottomColor).to.equal('rgb(3, 3, 3)')
      // The last 30 seconds are unmistakable, and do not move the page.
      await page.clock.runFor(1000)
      const urgent = await looks()
      expect(urgent).to.include({ color: 'rgb(4, 4, 4)', backgroundColor: 'rgb(5, 5, 5)' })
      expect(await timeIn(page)).to.equal('Only 30 s left')
      expect(await region.getAttribute('part')).to.equal('banner urgent')
      expect(urgent.borderBottomStyle).not.to.equal(before.borderBottomStyle)
      expect(urgent.weight).not.to.equal(before.weight)
      expect(urgent.height).to.equal(before.height)
      await finish(page, 'ended')
      const outlines = await region
        .locator('[part]')
        .evaluateAll((parts) => parts.map((it) => getComputedStyle(it).outlineWidth))
      const widths = [1, 2, 3, 4, 5, 6, 7, 8].map((width) => `${width}px`)
      expect(new Set(outlines)).to.deep.equal(new Set(widths))
    },
    { viewport: WIDE },
  )
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
