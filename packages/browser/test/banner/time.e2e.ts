import { expect } from 'chai'
import {
  banner,
  bannerTests,
  expectCount,
  expectText,
  finish,
  seen,
  showBanner,
  timeIn,
} from '../support/banner-page.ts'

const MINUTE = 60_000

describe('<impersonation-banner>: the time', () => {
  const test = bannerTests({ isStopped: true })

  test('runs down second by second, without drift', async ({ page }) => {
    await showBanner(page)
    for (const [passed, left] of [
      [0, '10:00'],
      [1, '10:00'],
      [999, '9:59'],
      [1000, '9:58'],
      [300_500, '4:58'],
      [499, '4:58'],
      [1, '4:57'],
      [57_000, '4:00'],
      [2 * MINUTE, '2:00'],
      [59_000, '1:01'],
    ] as const) {
      await page.clock.runFor(passed)
      expect(await timeIn(page)).to.equal(`${left} left`)
    }
    // A clock that is put back prolongs nothing.
    await page.clock.setSystemTime((await page.evaluate(() => Date.now())) - 60 * MINUTE)
    await page.clock.runFor(31_000)
    expect(await timeIn(page)).to.equal('Only 30 s left')
  })

  test('is said once at one minute and once at ten seconds, and not at every second', async ({
    page,
  }) => {
    await showBanner(page, { seconds: 65 }, { userName: 'Alice Ng' })
    const said = page.getByRole('status')
    const heard: (string | null)[] = []
    for (let second = 0; second < 64; second += 1) {
      await page.clock.runFor(1000)
      const text = await said.textContent()
      if (text !== heard.at(-1)) heard.push(text)
    }
    expect(heard).to.deep.equal([
      '',
      '60 seconds left to act as \u2068Alice Ng\u2069',
      '10 seconds left to act as \u2068Alice Ng\u2069',
    ])
    expect(await page.getByRole('timer').getAttribute('aria-live')).to.equal(null)
    // A banner that appears late says it at once.
    await showBanner(page, { seconds: 42 })
    await expectText(said, /^42 seconds left/)
    await page.clock.runFor(10_000)
    await expectText(said, /^42 seconds left/)
  })

  test('is over without an event of the session; the banner stays, says so, and what to do', async ({
    page,
  }) => {
    await showBanner(page, { seconds: 2 })
    await page.clock.runFor(2000)
    expect(await seen(banner(page))).to.deep.equal([
      'olivia acted as alice',
      'Ticket SUP-123',
      'The time is over.',
      'Close this tab, because it can still show data of the user. To act again, start again from the back office.',
    ])
    await expectText(page.getByRole('alert'), 'The time is over.')
    await expectText(page.getByRole('status'), '')
    await expectCount(banner(page).getByRole('button'), 0)
  })

  test('shows the slot "over" in place of the text, and only after the end', async ({ page }) => {
    await showBanner(page)
    await page.evaluate(() => {
      const link = document.createElement('a')
      link.href = '#support'
      link.slot = 'over'
      link.textContent = 'Back to the console'
      document.querySelector('impersonation-banner')?.append(link)
    })
    const link = page.getByRole('link', { name: 'Back to the console' })
    expect(await link.isVisible()).to.equal(false)
    await finish(page, 'expired')
    expect(await link.isVisible()).to.equal(true)
    const drawn = await banner(page)
      .locator('slot')
      .evaluate((slot) => {
        const text = document.createRange()
        text.selectNodeContents(slot)
        return text.getClientRects().length
      })
    expect(drawn, 'the text in place of a slot').to.equal(0)
  })

  test('is right after the machine has slept: being looked at is enough, no tick is needed', async ({
    page,
  }) => {
    await showBanner(page)
    const look = () => page.evaluate(() => window.lab.look())
    const now = await page.evaluate(() => Date.now())
    await page.clock.setSystemTime(now + 4 * MINUTE)
    await look()
    expect(await timeIn(page)).to.equal('6:00 left')
    await page.clock.setSystemTime(now + 20 * MINUTE)
    await look()
    await page.getByText('The time is over.').waitFor()
    // The clock was wrong for a moment: what was said to be over stays over.
    await page.clock.setSystemTime(now)
    await look()
    await page.getByText('The time is over.').waitFor()
  })
})
