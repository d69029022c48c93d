import type { Page } from 'playwright-core'
import { renewed } from '../../../../test/support/shared.ts'
import { deployWithPermits } from '../support/with-permits.ts'
import { enter } from './support/enter.ts'
import { actIn, reads, visitDeployment } from './support/operating.ts'

const act = (user: string, access = 'read') =>
  `/console/act?user=${user}&ticket=SUP-1&reason=Late&access=${access}`

/** Steps of people, one after the other: a person, a verb, and its object. */
const STORIES: Readonly<Record<string, readonly string[]>> = {
  'a link leads to the customer, the bar to the end, and a search to another customer': [
    `olivia opens ${act('alice')}`,
    'olivia chooses Look only',
    'olivia begins Act as Alice Ng',
    'olivia opens /console',
    "olivia sees You're acting as Alice Ng",
    'olivia presses End',
    'olivia sees It is ended.',
    'olivia searches bob',
    'olivia presses Bob Marsh',
    'olivia presses Act as Bob Marsh',
    'olivia sees Ticket number',
  ],
  'a lead approves a change, takes it back while it is used, and refuses another one': [
    `olivia opens ${act('alice', 'change')}`,
    'olivia presses Ask for approval',
    'grace opens /console',
    'grace presses Approve',
    'grace types Note: Saw the ticket',
    'grace presses Approve',
    'grace sees Approved.',
    `olivia opens ${act('alice', 'change')}`,
    'olivia begins Act as Alice Ng',
    'grace opens /console/records?state=in_force',
    'grace presses Take back',
    'grace presses Take back',
    'grace sees You took it back.',
    `olivia opens ${act('carla', 'change')}`,
    'olivia presses Ask for approval',
    'grace opens /console',
    'grace presses Refuse',
    'grace types Note: Call them first',
    'grace presses Refuse',
    'grace sees You refused it.',
  ],
  'a customer is asked, allows it, and takes it back': [
    `olivia opens ${act('bob')}`,
    'olivia presses Ask for approval',
    'bob opens /account',
    'bob presses Allow',
    'bob sees may act as you',
    `olivia opens ${act('bob')}`,
    'olivia begins Act as Bob Marsh',
    'bob presses Take it back',
    'bob sees You took it back.',
    'bob chooses Yes, support may help without asking',
    'bob presses Save',
    'bob sees until you say otherwise',
  ],
  'an operator acts in an emergency, and a lead looks at it': [
    `oscar opens ${act('alice', 'change')}`,
    'oscar presses Act without approval',
    'oscar types Why can this not wait?: Five minutes',
    'oscar begins Start without approval',
    'grace opens /console',
    'grace presses I looked at it',
    'grace types Note: It was right',
    'grace presses I looked at it',
    'grace sees Noted.',
  ],
  'a customer objects, and a lead stops an operator': [
    `olivia opens ${act('alice')}`,
    'olivia begins Act as Alice Ng',
    'alice opens /account',
    'alice presses I did not ask for this',
    'alice types Is there anything: I never called',
    'alice presses Tell them',
    'alice sees Thank you.',
    'grace opens /console',
    'grace sees I never called',
    `oscar opens ${act('carla')}`,
    'oscar begins Act as Carla',
    'grace opens /console',
    'grace presses Stop Oscar Öhman',
    'grace presses Stop Oscar Öhman',
    'grace sees Stopped: what ran has ended',
  ],
}

const STEP = /^(?<who>\w+) (?<does>opens|chooses|begins|presses|searches|types|sees) (?<what>.+)$/

describe('without script, in the browser', () => {
  const deployment = renewed(() => deployWithPermits())

  for (const [story, steps] of Object.entries(STORIES)) {
    it(story, async () => {
      await using visits = new AsyncDisposableStack()
      const pages = new Map<string, Page>()
      const pageOf = async (who: string) => {
        const { page, context } = visits.use(await visitDeployment(deployment))
        const devTools = await context.newCDPSession(page)
        // The tab of an application has its scripts.
        await devTools.send('Emulation.setScriptExecutionDisabled', { value: true })
        await context.route(/\/assets\/page-/, (route) => route.fulfill({ body: '' }))
        pages.set(who, page)
        return page
      }
      for (const step of steps) {
        const { who = '', does = '', what = '' } = STEP.exec(step)?.groups ?? {}
        const page = pages.get(who) ?? (await pageOf(who))
        await DEEDS[does]?.(page, what, who).catch((error: unknown) => {
          throw new Error(step, { cause: error })
        })
      }
    })
  }
})

const DEEDS: Readonly<Record<string, (page: Page, what: string, who: string) => Promise<void>>> = {
  opens: (page, path, who) => enter(page, who, path),
  chooses: (page, label) => page.getByLabel(label, { exact: true }).check(),
  async begins(page, name, who) {
    const opened = page.context().waitForEvent('page')
    await press(page, name)
    await actIn(await opened, who)
  },
  presses: press,
  async searches(page, text) {
    await page.getByRole('searchbox').fill(text)
    await page.keyboard.press('Enter')
  },
  async types(page, what) {
    const [label = '', text = ''] = what.split(': ')
    await page.getByLabel(label).and(page.locator(':visible')).fill(text)
  },
  sees: (page, text) => page.getByText(reads(text)).first().waitFor(),
}

/** Presses in an open part of the page first: it lies before the person. */
async function press(page: Page, name: string) {
  const seen = page.locator(':visible')
  const open = page.locator('details[open] button', { hasText: reads(name) }).and(seen)
  const link = page.getByRole('link', { name: reads(name) })
  const all = page.locator('a, button, summary', { hasText: reads(name) }).or(link)
  const found = (await open.count()) > 0 ? open : all
  await found.and(seen).first().click()
}
