import { expect } from 'chai'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { shared } from '../support/shared.ts'
import '../../packages/console/test/e2e/support/disposal.ts'
import { expectAccessible } from '../../packages/console/test/e2e/support/axe.ts'
import { browser } from '../../packages/console/test/e2e/support/browser.ts'
import { reads } from '../../packages/console/test/e2e/support/operating.ts'
import { startExampleHere } from './support/server.ts'

/** In each language: what a person types, and what the page shows at the end of each story. */
const LANGUAGES = {
  'en-GB': {
    signIn: /^Sign in$/,
    why: 'It leaves now',
    ends: [
      'Olivia Okafor acts as Alice Ng',
      'Olivia Okafor acts as Chidi Okeke',
      'Olivia Okafor acts as Dana Schmidt',
      'Noted.',
      'The stop is lifted.',
    ],
  },
  'de-DE': {
    signIn: /^Anmelden$/,
    why: 'Sie geht jetzt ab',
    ends: [
      'Olivia Okafor handelt als Alice Ng',
      'Olivia Okafor handelt als Chidi Okeke',
      'Olivia Okafor handelt als Dana Schmidt',
      'Vermerkt.',
      'Die Sperre ist aufgehoben.',
    ],
  },
} as const

/** The sentence of the shop when it is over. */
const OVER = /^(?:You no longer act as|Sie handeln nicht mehr als) /

/** The play of a newcomer: five stories, by the steps that the page says and no others. */
describe('the start page of the example', function () {
  this.timeout(300_000)

  for (const [locale, { signIn, why, ends }] of Object.entries(LANGUAGES)) {
    describe(locale, () => {
      /** Each person has a browser. */
      const people = new Map<string, { context: BrowserContext; page: Page }>()

      const example = shared(startExampleHere)
      afterEach(endAll)
      after(async () => {
        for (const { context } of people.values()) await context.close()
      })

      /** As the page says: in the banner of the shop, before the next story. */
      async function endAll(): Promise<void> {
        for (const { context, page } of people.values()) {
          for (const tab of context.pages().filter((each) => each !== page)) {
            const end = tab.locator('impersonation-banner button')
            const over = tab.getByRole('heading', { name: OVER })
            await end.or(over).first().waitFor()
            if (await end.isVisible()) await end.click()
            await over.waitFor()
            await tab.close()
          }
        }
      }

      async function sitDown(login: string) {
        const known = people.get(login)
        if (known) return known
        const options = { baseURL: example.url, locale, reducedMotion: 'reduce' } as const
        const context = await (await browser()).newContext(options)
        context.setDefaultTimeout(8_000)
        const page = await context.newPage()
        const person = { context, page }
        people.set(login, person)
        return person
      }

      /** Follows a link of the start page, and signs in where that is asked. */
      async function follow(page: Page, login: string, href: string): Promise<void> {
        await page.goto('/')
        await page.locator(`a[href="${href}"]`).first().click()
        const field = page.getByRole('textbox').and(page.locator('[name=login]'))
        const begin = page.getByRole('button', { name: signIn })
        const isIn = page.locator('header').getByRole('button')
        await begin.or(field).or(isIn).first().waitFor()
        if (!(await isIn.first().isVisible())) {
          if (!(await field.isVisible())) await begin.click()
          await field.fill(login)
          await page.locator('[name=password]').fill('demo-password')
          await page.getByRole('button', { name: signIn }).click()
          await isIn.first().waitFor()
        }
        const { pathname, search } = new URL(href, example.url)
        expect(new URL(page.url()).pathname + new URL(page.url()).search).to.equal(
          pathname + search,
        )
      }

      /** Presses a control by what can be read on it. The same a second time is in what the first one opened. A note says why, where one is asked for. */
      async function press(page: Page, text: string, isAgain: boolean): Promise<void> {
        const root = page.locator(isAgain ? 'details[open] > :not(summary)' : 'body')
        const control = root
          .locator('button:visible, a.button:visible, summary.button:visible')
          .filter({ hasText: reads(text) })
        await control.first().waitFor()
        const notes = page.locator('details[open] textarea:visible, textarea[name=note]:visible')
        if ((await notes.count()) > 0) await notes.first().fill(why)
        await control.first().click()
      }

      /** Does what a story says. Answers the page on which it ends: a new tab of the last person. */
      async function play(number: number, endsInTab: boolean): Promise<Page> {
        const start = (await sitDown('reader')).page
        await start.goto('/')
        const steps = await start.locator('article').nth(number).locator('li').all()
        for (const step of steps.slice(0, -1)) await doStep(step)
        const { page, context, pressLast } = await doStep(steps.at(-1) ?? expect.fail('no step'), 1)
        const opened = endsInTab ? context.waitForEvent('page') : page
        await pressLast()
        return opened
      }

      /** @param left how many controls are not pressed yet */
      async function doStep(step: Locator, left = 0) {
        const login = (await step.locator('strong').textContent()) ?? ''
        const { page, context } = await sitDown(login)
        for (const link of await step.locator('a').all()) {
          await follow(page, login, (await link.getAttribute('href')) ?? '')
        }
        const names = await step.locator('kbd').allTextContents()
        const pressAt = (at: number) => press(page, names[at] ?? '', names[at] === names[at - 1])
        for (let at = 0; at < names.length - left; at += 1) await pressAt(at)
        return { page, context, pressLast: () => pressAt(names.length - 1) }
      }

      it('is in the language of the browser, readable, and without a fault', async () => {
        const { page } = await sitDown('reader')
        await page.goto('/')
        expect(await page.locator('html').getAttribute('lang')).to.equal(locale.slice(0, 2))
        await expectAccessible(page)
      })

      for (const [number, end] of ends.entries()) {
        it(`story ${number + 1} goes as it says`, async () => {
          const page = await play(number, number < 3)
          await page.getByText(reads(end)).first().waitFor()
        })
      }
    })
  }
})
