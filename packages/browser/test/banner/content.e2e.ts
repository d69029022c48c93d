import { expect } from 'chai'
import {
  banner,
  bannerTests,
  expectCount,
  expectText,
  seen,
  settle,
  showBanner,
} from '../support/banner-page.ts'

describe('<impersonation-banner>: what it shows', () => {
  const test = bannerTests()

  test(
    'tells who acts as whom, the ticket, the time, and has a button',
    async ({ page }) => {
      const region = await showBanner(page)
      expect(await region.getAttribute('part')).to.equal('banner')
      expect(await seen(region)).to.deep.equal([
        'olivia acts as alice',
        'Ticket SUP-123',
        '10:00 left',
        'End',
      ])
      await expectCount(page.getByRole('region', { name: 'olivia acts as alice' }), 1)
      await expectText(region.getByRole('timer'), '10:00 left')
      await expectCount(page.getByRole('button', { name: 'End', exact: true }), 1)

      const names = { actorName: 'Olivia Okafor', userName: 'Alice Ng', ticket: '#7' }
      await showBanner(page, {}, { ...names, changes: false })
      expect((await seen(region)).slice(0, 3)).to.deep.equal([
        'Olivia Okafor acts as Alice Ng',
        'Ticket #7',
        'Look only',
      ])
      for (const context of [
        {},
        { impersonation_context: null },
        { impersonation_context: 'SUP' },
        { impersonation_context: { ticket_id: { toString: 1 } } },
        { impersonation_context: { ticket_id: ' \u200B' } },
      ]) {
        await showBanner(page, { context })
        expect(await seen(region), 'no ticket').to.have.length(3)
      }
    },
    { isStopped: true },
  )

  test(
    'says that it will be reviewed, in the words of the application, also where that is known later',
    async ({ page }) => {
      const region = await showBanner(page, {}, { changes: true })
      expect(await seen(region)).to.not.include('Will be reviewed')
      await page.evaluate(() => {
        if (window.lab.current) window.lab.current.isToBeReviewed = true
      })
      await page.clock.runFor(1000)
      expect((await seen(region)).slice(2, 4)).to.deep.equal([
        'Look and change',
        'Will be reviewed',
      ])
      const texts = { toBeReviewed: 'Ohne Freigabe' }
      await showBanner(page, { isToBeReviewed: true }, { texts })
      expect(await seen(region)).to.include('Ohne Freigabe')
    },
    { isStopped: true },
  )

  test('shows nothing without a session, what has changed, and what was set before it was defined', async ({
    page,
  }) => {
    await showBanner(page)
    await page.evaluate(() => window.lab.set({ userName: 'Alice Ng' }))
    expect((await seen(banner(page)))[0]).to.equal('olivia acts as Alice Ng')
    await page.evaluate(() => window.lab.set({ session: undefined }))
    await expectCount(banner(page), 0)
    const height = await page.evaluate(
      () => document.querySelector('impersonation-banner')?.offsetHeight,
    )
    expect(height).to.equal(0)
    await page.evaluate(async () => {
      const element = document.createElement('support-banner')
      Object.assign(element, { session: window.lab.session(), userName: 'Alice Ng' })
      document.body.prepend(element)
      const names = ['support-banner', 'support-banner', undefined]
      await Promise.all(names.map((name) => window.lab.define(name)))
    })
    expect((await seen(banner(page)))[0]).to.equal('olivia acts as Alice Ng')
  })

  test(
    'takes every text from the application, and isolates the names in them',
    async ({ page }) => {
      await page.evaluate(() => {
        const element = window.lab.show(window.lab.session({ seconds: 125 }), { changes: true })
        element.texts = {
          who: ({ actorName, userName }) => `${actorName} handelt als ${userName}`,
          whoActed: ({ actorName, userName }) => `${actorName} hat als ${userName} gehandelt`,
          ticket: ({ ticket }) => `Vorgang ${ticket}`,
          lookAndChange: 'Ansehen und ändern',
          left: ({ minutes, seconds }) => `noch ${minutes} min ${seconds} s`,
          lastSeconds: ({ seconds }) => `nur noch ${seconds} s`,
          announcement: ({ seconds, userName }) => `Noch ${seconds} Sekunden als ${userName}`,
          end: 'Beenden',
          ending: 'Wird beendet',
          ended: () => 'Beendet.',
          next: 'Fenster schließen.',
        }
      })
      const region = page.getByRole('region')
      expect(await seen(region)).to.deep.equal([
        'olivia handelt als alice',
        'Vorgang SUP-123',
        'Ansehen und ändern',
        'noch 2 min 5 s',
        'Beenden',
      ])
      expect(await region.locator('bdi').allTextContents()).to.deep.equal([
        'olivia',
        'alice',
        'SUP-123',
      ])
      await page.clock.runFor(96_000)
      await expectText(region.getByRole('timer'), 'nur noch 29 s')
      expect(await region.getByRole('status').textContent()).to.match(
        /^Noch 60 Sekunden als .alice.$/,
      )
      await region.getByRole('button').click()
      await expectText(region.getByRole('button'), 'Wird beendet')
      await settle(page, 'answer')
      await region.getByText('hat als').waitFor()
      expect(await seen(region)).to.deep.equal([
        'olivia hat als alice gehandelt',
        'Vorgang SUP-123',
        'Ansehen und ändern',
        'Beendet.',
        'Fenster schließen.',
      ])
    },
    { isStopped: true },
  )
})
