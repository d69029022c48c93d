// Takes the pictures of the documents: of the console in packages/console/images, of the shop in docs/images.
//   npm run screenshots
import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Authorize } from 'oidc-provider-impersonation'
import { createPermits, type Notice } from 'oidc-provider-impersonation-console'
import { chromium, type Page } from 'playwright-core'
import { enter } from '../packages/console/test/e2e/support/enter.ts'
import { type Deployment, deploy, STAFF } from '../packages/console/test/support/deployment.ts'
import { memoryAudit } from '../packages/console/test/support/memory-audit.ts'
import { launch } from '../test/example-provider/support.ts'
import { newFolder } from '../test/support/folder.ts'

const IMAGES = join(import.meta.dirname, '../packages/console/images')
const DOCS = join(import.meta.dirname, '../docs/images')
const WIDE = { width: 1280, height: 800 }
const HIGH = { width: 1280, height: 1130 }

await mkdir(IMAGES, { recursive: true })
await using deployment = await deploy()

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
try {
  await picture(
    'act',
    'olivia',
    '/console/act?user=alice&ticket=SUP-118&reason=She+cannot+find+her+invoice',
  )
  await fill()
  await picture('inbox', 'grace', '/console')
  await picture('audit', 'grace', '/console/audit')
  await picture('audit-dark', 'grace', '/console/audit', { colorScheme: 'dark' })
  const { body } = await deployment.ask('grace', '/audit?text=SUP-118')
  await picture('impersonation', 'grace', `/console/audit/${body.rows.at(-1).id}`)
  await picture('account', 'alice', '/account')
  await picturesOfApprovals()
  await pictureOfMail()
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

/** A deployment whose rule needs a lead for changes. */
async function picturesOfApprovals(): Promise<void> {
  const audit = memoryAudit()
  const permits = createPermits({
    audit,
    approvers: () => [{ id: 'grace', name: STAFF.grace?.name }],
  })
  const rule: Authorize = ({ scope = '' }) =>
    scope.includes('orders:write')
      ? { needs: ['second_person'], emergency: true }
      : { accessTokenTtl: 600 }
  rule.description =
    'A change needs the approval of a lead. Without one, operators look for 10 minutes.'
  await using approving = await deploy({
    audit,
    authorize: permits.wrap(rule),
    console: { permits },
  })
  const ask = (customer: string, ticket: string, reason: string, operator = 'olivia') => ({
    customer,
    operator,
    ticket,
    reason,
    application: 'shop',
    resource: `${approving.url}/orders`,
    scope: 'orders:read orders:write',
  })
  const refused = await permits.request(ask('bob', 'SUP-127', 'Wants another address'))
  await permits.decide(refused.id, 'declined', { by: 'grace', note: 'Call him first' })
  const granted = await permits.request(ask('carla', 'SUP-124', 'Leave it next door', 'oscar'))
  await permits.decide(granted.id, 'granted', { by: 'grace', note: 'Talked to Carla' })
  await permits.emergency({
    ...ask('carla', 'SUP-129', 'The parcel leaves in five minutes'),
    why: 'It cannot wait',
  })
  await permits.request(ask('alice', 'SUP-131', 'The parcel should go next door'))
  const from = approving
  await picture('decide', 'grace', '/console', {
    from,
    async prepare(page) {
      await page.setViewportSize(HIGH)
      await page.locator('summary', { hasText: 'Approve' }).first().click()
      await page.getByText('Approve this?').first().waitFor()
    },
  })
  await picture('rules', 'grace', '/console/rules', {
    from,
    async prepare(page) {
      await page.getByLabel('Operator').fill('olivia')
      await page.getByLabel('Customer').fill('alice')
      await page.getByLabel('Look and change').check()
      await page.getByRole('button', { name: 'Ask the rules' }).click()
      await page.getByText('Yes, with an approval.').waitFor()
    },
  })
  await permits.close()
}

/** What a customer gets after an impersonation. */
async function pictureOfMail(): Promise<void> {
  const sent = Promise.withResolvers<Notice>()
  await using telling = await deploy({
    console: {
      brand: { name: 'Example Shop', color: '#0a6640' },
      ticket: { pattern: /SUP-\d+/ },
      notices: { digest: 0, when: ['ended'], send: (notice) => sent.resolve(notice) },
    },
  })
  const running = await telling.impersonate({ ticket: 'SUP-131' })
  await running.look()
  await running.change()
  await running.end()
  const { html } = await sent.promise
  const page = await browser.newPage({ viewport: { width: 640, height: 560 } })
  try {
    await page.setContent(html.replaceAll(telling.url, 'https://id.example.com'))
    await save(page, IMAGES, 'mail')
  } finally {
    await page.close()
  }
}

/** The example's shop, in which olivia acts as Alice. */
async function pictureOfShop(): Promise<void> {
  await using example = await launch({ DATA_DIR: newFolder(), STORAGE_URL: 'memory:' })
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
      await save(shop, DOCS, `acting-${colorScheme}`)
    }
  } finally {
    await context.close()
  }
}

async function picture(
  name: string,
  person: string,
  path: string,
  {
    prepare = async () => {},
    colorScheme = 'light',
    from = deployment,
  }: {
    /** What is done on the page before. */
    readonly prepare?: (page: Page) => Promise<unknown>
    readonly colorScheme?: 'dark' | 'light'
    readonly from?: Deployment
  } = {},
): Promise<void> {
  const context = await browser.newContext({
    baseURL: from.url,
    viewport: WIDE,
    colorScheme,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  try {
    const page = await context.newPage()
    await enter(page, person, path)
    await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {})
    await prepare(page)
    await page.mouse.move(640, 790)
    await save(page, IMAGES, name)
  } finally {
    await context.close()
  }
}

async function save(page: Page, folder: string, name: string): Promise<void> {
  const path = join(folder, `${name}.webp`)
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 90 })
  await writeFile(path, data, 'base64')
  console.log(relative(process.cwd(), path))
}
