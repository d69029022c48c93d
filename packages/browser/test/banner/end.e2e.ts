import { expect } from 'chai'
import {
  banner,
  bannerTests,
  expectCount,
  expectText,
  finish,
  seen,
  settle,
  showBanner,
} from '../support/banner-page.ts'

describe('<impersonation-banner>: End', () => {
  const test = bannerTests()

  const ends = () => window.lab.current?.ends

  test('is the first stop of Tab, shows the focus, and works by Enter', async ({ page }) => {
    const region = await showBanner(page)
    await page.keyboard.press('Tab')
    const end = region.getByRole('button', { name: 'End' })
    const outline = await end.evaluate((button) => {
      const root = button.getRootNode()
      const isFocused = root instanceof ShadowRoot && root.activeElement === button
      return isFocused && getComputedStyle(button).outlineStyle
    })
    expect(outline).to.equal('solid')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(ends)).to.equal(1)
    await page.keyboard.press('Tab')
    const next = page.locator(':focus')
    await expectText(next, 'Order again')
    // An end elsewhere is said as well, and leaves the focus where it is.
    await finish(page, 'ended')
    await region.getByRole('alert').getByText('It was ended.').waitFor()
    await expectText(next, 'Order again')
  })

  test('sends one request while it runs, keeps the focus, and hands it to what is said then', async ({
    page,
  }) => {
    const region = await showBanner(page)
    await region.getByRole('button').focus()
    for (let press = 0; press < 5; press += 1) await page.keyboard.press('Space')
    const end = region.getByRole('button', { name: 'Ending…' })
    expect(await end.isDisabled()).to.equal(true)
    await expectCount(end.and(page.locator(':focus')), 1)
    expect(await page.evaluate(ends)).to.equal(1)

    await settle(page, 'answer')
    const alert = region.getByRole('alert').getByText('It was ended.')
    await alert.waitFor()
    await expectCount(region.getByRole('alert').and(page.locator(':focus')), 1)
    expect((await seen(region))[0]).to.equal('olivia acted as alice')
    await expectCount(region.getByRole('button'), 0)
  })

  test('that fails is said, with what to do; acting goes on, and End works again', async ({
    page,
  }) => {
    const region = await showBanner(page)
    await page.evaluate(() => {
      document.querySelector('impersonation-banner')?.addEventListener('end-failed', (event) => {
        if (event instanceof CustomEvent) document.body.dataset.failed = event.detail.message
      })
    })
    const end = region.getByRole('button')
    await end.click()
    await settle(page, 'fail')
    await region.getByRole('alert').getByText('You still act').waitFor()
    await expectText(region.getByRole('alert'), /Check the connection/)
    expect(await page.evaluate(() => document.body.dataset.failed)).to.equal('unreachable')
    await expectText(end, 'End')
    expect(await end.isDisabled()).to.equal(false)
    expect((await seen(region))[0]).to.equal('olivia acts as alice')

    await end.click()
    await expectCount(region.getByRole('alert'), 0)
    await settle(page, 'answer')
    await region.getByText('It was ended.').waitFor()
    expect(await page.evaluate(ends)).to.equal(2)
  })

  test('that fails after the session was replaced says nothing about the next one', async ({
    page,
  }) => {
    await showBanner(page)
    await banner(page).getByRole('button').click()
    await page.evaluate(async () => {
      const { lab } = window
      const element = document.querySelector('impersonation-banner')
      lab.set({ session: lab.session({ userId: 'bob' }) })
      lab.current?.fail()
      await new Promise((resolve) => element?.addEventListener('end-failed', resolve))
    })
    expect((await seen(banner(page))).slice(-1)).to.deep.equal(['End'])
    await expectCount(banner(page).getByRole('alert'), 0)
  })
})
