import { expect } from 'chai'
import {
  banner,
  seen,
  servedBanner,
  showBanner,
  timeIn,
  visitStopped,
} from '../support/banner-page.ts'

describe('<impersonation-banner>: the time, of a banner that moves or is one of two', () => {
  const server = servedBanner()

  it('does not run in a banner that is not in the page, or is over', async () => {
    await using person = await visitStopped(server.url)
    const { page } = person
    await page.evaluate(() => {
      const set = window.setTimeout
      const waiting = new Set<unknown>()
      const counted = (run: () => void, delay: number) => {
        const timer = set(() => {
          waiting.delete(timer)
          run()
        }, delay)
        waiting.add(timer)
        return timer
      }
      const clear = window.clearTimeout
      const cleared = (timer: number) => {
        waiting.delete(timer)
        clear(timer)
      }
      Object.assign(window, { setTimeout: counted, clearTimeout: cleared, waiting })
    })
    const waiting = () => page.evaluate(() => (Reflect.get(window, 'waiting') as Set<unknown>).size)
    await showBanner(page)
    expect(await waiting()).to.equal(1)
    await page.evaluate(() => {
      const element = document.querySelector('impersonation-banner')
      element?.remove()
      document.body.dataset.waiting = `${(Reflect.get(window, 'waiting') as Set<unknown>).size}`
      if (element) element.userName = 'Alice'
      window.lab.current?.dispatchEvent(new Event('expired'))
      document.dispatchEvent(new Event('visibilitychange'))
    })
    expect(await page.evaluate(() => document.body.dataset.waiting)).to.equal('0')
    expect(await waiting()).to.equal(0)
    await showBanner(page, { seconds: 3 })
    await page.clock.runFor(3000)
    expect(await waiting()).to.equal(0)
  })

  it('of a banner that is moved goes on; nothing is said twice', async () => {
    await using person = await visitStopped(server.url)
    const { page } = person
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

  it('of two banners runs apart', async () => {
    await using person = await visitStopped(server.url)
    const { page } = person
    await showBanner(page, { seconds: 5 })
    await page.evaluate(() => window.lab.add(window.lab.session({ seconds: 100, userId: 'bob' })))
    await page.clock.runFor(5000)
    expect(await seen(page.getByRole('region', { name: 'olivia acts as bob' }))).to.include(
      '1:35 left',
    )
    expect(await seen(page.getByRole('region', { name: 'olivia acted as alice' }))).to.include(
      'The time is over.',
    )
  })

  it('of a session that is replaced is forgotten, with all that it still says', async () => {
    await using person = await visitStopped(server.url)
    const { page } = person
    await showBanner(page, { seconds: 5 })
    await page.evaluate(() => {
      const { lab } = window
      const before = lab.current
      const element = document.querySelector('impersonation-banner')
      if (element) element.session = lab.session({ seconds: 100, userId: 'bob' })
      before?.finish('ended')
    })
    expect(await page.getByRole('status').textContent()).to.equal('')
    await page.clock.runFor(10_000)
    expect(await seen(banner(page))).to.deep.equal([
      'olivia acts as bob',
      'Ticket SUP-123',
      '1:30 left',
      'End',
    ])
  })
})
