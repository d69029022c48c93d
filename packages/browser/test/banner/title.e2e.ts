import { bannerTests, expectTitle, settle, showBanner } from '../support/banner-page.ts'

describe('<impersonation-banner>: the title of the page', () => {
  const test = bannerTests()

  test('says as whom, and is what it was after the end', async ({ page }) => {
    const region = await showBanner(page)
    await expectTitle(page, 'Acting as alice · Shop')
    await page.evaluate(() => window.lab.set({ userName: 'Alice \u202EgN' }))
    await expectTitle(page, 'Acting as Alice gN · Shop', 'no direction is turned')
    await region.getByRole('button', { name: 'End' }).click()
    await settle(page, 'answer')
    await region.getByText('It was ended.').waitFor()
    await expectTitle(page, 'Shop')
  })

  test('of the application is marked, too, where it changes meanwhile, and is there after the end', async ({
    page,
  }) => {
    await showBanner(page)
    for (const own of ['Orders', '']) {
      await page.evaluate((title) => {
        document.title = title
      }, own)
      await page.waitForFunction(
        (title) => document.title === title,
        `Acting as alice · ${own}`.trim(),
      )
    }
    // White space at the end is no part of a title: nothing is marked twice for it.
    await page.evaluate(() => window.lab.look())
    await expectTitle(page, 'Acting as alice ·')
    await page.evaluate(() => {
      document.title = 'Address'
      window.lab.current?.finish('expired')
    })
    await expectTitle(page, 'Address')
  })

  test('is marked by one banner at a time, and no more when the banner leaves', async ({
    page,
  }) => {
    await showBanner(page)
    await page.evaluate(() => {
      window.lab.add(window.lab.session({ userId: 'bob' }))
      window.lab.look()
    })
    await expectTitle(page, 'Acting as alice · Shop')
    await page.evaluate(() => {
      document.querySelector('impersonation-banner:last-of-type')?.remove()
      window.lab.look()
    })
    await expectTitle(page, 'Acting as bob · Shop')
    await page.evaluate(() => document.querySelector('impersonation-banner')?.remove())
    await expectTitle(page, 'Shop')
  })

  test('is left alone, or has words of its own, where the application says so', async ({
    page,
  }) => {
    await showBanner(page, {}, { marksTitle: false })
    await expectTitle(page, 'Shop')
    await page.evaluate(() => {
      window.lab.set({
        texts: { title: ({ userName, title }) => `${title} als ${userName}` },
        marksTitle: true,
      })
    })
    await expectTitle(page, 'Shop als alice')
    await page.evaluate(() => window.lab.set({ marksTitle: false }))
    await expectTitle(page, 'Shop')
  })
})
