// Takes the pictures of the READMEs: of the console in packages/console/images, of the shop in docs/images.
//   npm run screenshots
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { storePast } from '../packages/console/test/e2e/support/audit-rows.ts'
import { enter } from '../packages/console/test/e2e/support/enter.ts'
import { deploy } from '../packages/console/test/support/deployment.ts'
import { launch, temporaryFolder } from '../test/example-provider/support.ts'

const IMAGES = join(import.meta.dirname, '../packages/console/images')
const DOCS = join(import.meta.dirname, '../docs/images')
const WIDE = { width: 1280, height: 800 }
const HIGH = { width: 1280, height: 1130 }

/** What was done in the days before, for the pictures of the overview: less on each seventh day. */
const MONTH = Array.from({ length: 29 }, (_, index) => index + 1).flatMap((back) =>
  Array.from({ length: back % 7 === 0 ? 1 : 4 + ((back * 5) % 6) }, (_, index) => ({
    at: Date.now() - back * 86_400_000,
    ...(index % 4 === 0
      ? {}
      : { end: index % 9 === 5 ? ('user' as const) : ('requested' as const) }),
    ...(back % 11 === 3 && index === 0 ? { objection: 'I did not ask for this' } : {}),
  })),
)

await mkdir(IMAGES, { recursive: true })
await using deployment = await deploy()
await fill()

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
try {
  await picture('act', 'olivia', '/console/act?user=alice&ticket=SUP-131')
  await picture('running', 'grace', '/console/running')
  await picture('audit', 'grace', '/console/audit')
  await picture('audit-dark', 'grace', '/console/audit', undefined, 'dark')
  const { body } = await deployment.ask('grace', '/audit?text=SUP-118')
  await picture('impersonation', 'grace', `/console/audit/${body.rows.at(-1).id}`)
  await picture('account', 'alice', '/account')
  await storePast(deployment.audit, MONTH)
  // Its pictures stand below what runs.
  await picture('overview', 'grace', '/console', (page) => page.setViewportSize(HIGH))
  await pictureOfShop()
} finally {
  await browser.close()
}

/** A morning of a support team. */
async function fill(): Promise<void> {
  const tickets = [
    ['olivia', 'alice', 'SUP-118', 'She cannot find her invoice of October'],
    ['oscar', 'bob', 'SUP-121', 'His parcel is not in the list'],
    ['olivia', 'carla', 'SUP-124', 'Wants the parcel left next door'],
    ['oscar', 'alice', 'SUP-118', 'The invoice again: she wants it by post'],
    ['olivia', 'bob', 'SUP-127', 'The total of an order looks wrong to him'],
    ['olivia', 'alice', 'SUP-130', 'Asks where the coffee grinder is'],
    ['oscar', 'carla', 'SUP-129', 'Cannot change the note of a delivery'],
  ] as const
  for (const [index, [operator, customer, ticket, reason]] of tickets.entries()) {
    const running = await deployment.impersonate({ operator, customer, ticket, reason })
    for (let reads = 0; reads <= index % 3; reads += 1) await running.look()
    if (index % 2 === 0) await running.change()
    if (index === 0) {
      await running.refused()
      await running.replay()
    } else if (index < 4) await running.end()
  }
  await deployment.settled()
}

/** The example's shop, in which olivia acts as Alice. */
async function pictureOfShop(): Promise<void> {
  await using folder = await temporaryFolder()
  await using example = await launch({ DATA_DIR: folder.path, STORAGE_URL: 'memory:' })
  const context = await browser.newContext({
    baseURL: example.url,
    viewport: WIDE,
    locale: 'en-GB',
  })
  try {
    const page = await context.newPage()
    await page.goto('/console/act?user=alice&ticket=SUP-123&reason=The+parcel+should+go+next+door')
    await page.getByLabel('Login').fill('olivia')
    await page.getByLabel('Password').fill('demo-password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Look and change').check()
    const opened = context.waitForEvent('page')
    await page.getByRole('button', { name: 'Act as' }).click()
    const shop = await opened
    await shop.getByText('Coffee grinder').waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await shop.emulateMedia({ colorScheme })
      await shop.screenshot({
        path: join(DOCS, `acting-${colorScheme}.png`),
        animations: 'disabled',
      })
      console.log(`docs/images/acting-${colorScheme}.png`)
    }
  } finally {
    await context.close()
  }
}

async function picture(
  name: string,
  person: string,
  path: string,
  then: (page: Page) => Promise<void> = async () => {},
  colorScheme: 'dark' | 'light' = 'light',
): Promise<void> {
  const context = await browser.newContext({
    baseURL: deployment.url,
    viewport: WIDE,
    colorScheme,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  try {
    const page = await context.newPage()
    await enter(page, person, path)
    await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {})
    await then(page)
    await page.mouse.move(640, 790)
    await page.screenshot({
      path: join(IMAGES, `${name}.png`),
      animations: 'disabled',
      caret: 'hide',
    })
    console.log(`packages/console/images/${name}.png`)
  } finally {
    await context.close()
  }
}
