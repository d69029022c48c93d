import { expect } from 'chai'
import {
  banner,
  bannerTests,
  expectText,
  seen,
  showBanner,
  timeIn,
} from '../support/banner-page.ts'

describe('<impersonation-banner>: the time, of a banner that moves or is one of two', () => {
  const test = bannerTests({ isStopped: true })

  test('does not run in a banner that is not in the page, or is over', async ({ page }) => {
    // The timers of the page that wait.
    await page.evaluate(() => {
      const { setTimeout: set, clearTimeout: clear } = window
      const timers = new Set<unknown>()
      Object.assign(window, {
        timers,
        setTimeout(run: () => void, delay: number) {
          const timer = set(() => {
            timers.delete(timer)
            run()
          }, delay)
          timers.add(timer)
          return timer
        },
        clearTimeout(timer: number) {
          timers.delete(timer)
          clear(timer)
        },
      })
    })
    const waiting = () => page.evaluate('timers.size')
    await showBanner(page)
    expect(await waiting()).to.equal(1)
    await page.evaluate(() => {
      const element = document.querySelector('impersonation-banner')
      element?.remove()
      if (element) element.userName = 'Alice'
      window.lab.current?.dispatchEvent(new Event('expired'))
      window.lab.look()
    })
    expect(await waiting()).to.equal(0)
    await showBanner(page, { seconds: 3 })
    await page.clock.runFor(3000)
    expect(await waiting()).to.equal(0)
  })

  test('of a banner that is moved goes on; nothing is said twice', async ({ page }) => {
    await showBanner(page, { seconds: 61 })
    await page.clock.runFor(2000)
    await page.evaluate(() => {
      const status = document
        .querySelector('impersonation-banner')
        ?.shadowRoot?.querySelector('[role=status]')
      if (status)
        new MutationObserver(() => (document.body.dataset.said = 'again')).observe(status, {
          childList: true,
        })
      const element = document.querySelector('impersonation-banner')
      if (element) document.body.append(element)
    })
    await page.clock.runFor(5000)
    expect(await timeIn(page)).to.equal('0:54 left')
    expect(await page.evaluate(() => document.body.dataset.said)).to.equal(undefined)
  })

  test('of a session that is replaced is forgotten, with all that it still says', async ({
    page,
  }) => {
    await showBanner(page, { seconds: 5 })
    await page.evaluate(() => {
      const { lab } = window
      const before = lab.current
      lab.set({ session: lab.session({ seconds: 100, userId: 'bob' }) })
      before?.finish('ended')
    })
    await expectText(page.getByRole('status'), '')
    await page.clock.runFor(10_000)
    expect(await seen(banner(page))).to.deep.equal([
      'olivia acts as bob',
      'Ticket SUP-123',
      '1:30 left',
      'End',
    ])
  })
})
