import { expect } from 'chai'
import type { Locator } from 'playwright-core'
import { NARROWEST, WIDE } from '../../../console/test/e2e/support/visit.ts'
import { bannerTests, expectCount, seen, showBanner } from '../support/banner-page.ts'

const LONG = 'Maria del Carmen '.repeat(59).slice(0, 1000)

describe('<impersonation-banner>: hostile names', () => {
  const test = bannerTests()

  test('are text, and no HTML', async ({ page }) => {
    const hostile = '<img src=x onerror="alert(1)"></bdi><script>alert(2)</script>{{7*7}}&lt;'
    const names = { userName: hostile, actorName: hostile, ticket: hostile }
    const region = await showBanner(page, {}, names)
    expect(await region.locator('bdi').allTextContents()).to.deep.equal([hostile, hostile, hostile])
    await expectCount(region.locator('img, script'), 0)
  })

  test('leave the direction of all other text alone', async ({ page }) => {
    for (const control of ['\u202E', '\u2067', '\u2069\u202E', '\u2069\u2069\u2067', 'א\u202B']) {
      const names = { actorName: `${control}Mallory${control}`, userName: `${control}Alice` }
      const region = await showBanner(page, {}, names)
      expect(await region.locator('bdi').first().textContent()).not.to.match(
        /[\u202A-\u202E\u2066-\u2069]/,
      )
      await expectInOrder(region)
    }
    // Names of a right-to-left script stay one piece each.
    const names = { actorName: 'أوليفيا 123', userName: 'עליסה (456)' }
    await expectInOrder(await showBanner(page, {}, names))
  })

  test('that cannot be seen are replaced by the identifier, or said to be no name', async ({
    page,
  }) => {
    for (const empty of ['', '  ', '\u200B\u200B', '\u202E', '\u0000\n']) {
      const names = { userName: empty, actorName: empty }
      const region = await showBanner(page, {}, names)
      expect((await seen(region))[0], JSON.stringify(empty)).to.equal('olivia acts as alice')
    }
    const region = await showBanner(page, { userId: null, actor: '' })
    expect((await seen(region))[0]).to.equal('(no name) acts as (no name)')
  })

  for (const [size, viewport] of Object.entries({ NARROWEST, WIDE })) {
    test(
      `of 1,000 characters push nothing out of sight: ${size}`,
      async ({ page }) => {
        for (const long of [LONG, LONG.replaceAll(' ', ''), '𒐫'.repeat(500)]) {
          const names = { userName: long, actorName: long, ticket: long }
          const region = await showBanner(page, {}, names)
          const box = await region.boundingBox()
          expect(box?.height, 'the height of the banner').to.be.below(viewport.height / 2)
          for (const part of await region.locator('bdi, button, [role=timer]').all()) {
            const place = await part.boundingBox()
            expect(place?.height).to.be.above(15)
            expect((place?.x ?? 0) + (place?.width ?? 0)).to.be.at.most(viewport.width)
          }
          expect(await region.locator('bdi').allTextContents()).to.deep.equal([long, long, long])
          expect(await region.locator('bdi').first().getAttribute('title')).to.equal(long)
          const excess = await page
            .locator('html')
            .evaluate((it) => it.scrollWidth - it.clientWidth)
          expect(excess).to.equal(0)
        }
      },
      { viewport },
    )
  }
})

/** Expects the actor, the words between the names, and the user from left to right. */
async function expectInOrder(region: Locator): Promise<void> {
  const lefts = await region.locator('[part=who]').evaluate((who) =>
    [...who.childNodes]
      .filter((node) => node.textContent !== '')
      .map((node) => {
        const range = document.createRange()
        range.selectNodeContents(node)
        return range.getBoundingClientRect().left
      }),
  )
  expect(lefts).to.deep.equal(lefts.toSorted((a, b) => a - b))
}
