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
import { movingWebp } from './moving-webp.ts'

const IMAGES = join(import.meta.dirname, '../packages/console/images')
const DOCS = join(import.meta.dirname, '../docs/images')
const WIDE = { width: 1280, height: 800 }
const HIGH = { width: 1280, height: 1130 }
/** A wide picture, and a line below it. */
const FILM = { width: 800, height: 560 }

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
  await picturesOfShop()
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
      await page.getByText('From now on').first().waitFor()
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

/** Takes the picture of the mail to a customer after an impersonation. */
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

/** The example's shop, in which olivia acts as Alice until Alice ends it: pictures, and a moving one. */
async function picturesOfShop(): Promise<void> {
  await using example = await launch({ DATA_DIR: newFolder(), STORAGE_URL: 'memory:' })
  const film = await browser.newPage({ viewport: FILM })
  const scenes: Buffer[] = []
  const sitDown = async (login: string, path: string) => {
    const context = await browser.newContext({
      baseURL: example.url,
      viewport: WIDE,
      locale: 'en-GB',
    })
    const page = await context.newPage()
    await page.goto(path)
    await page.getByLabel('Login').fill(login)
    await page.getByLabel('Password').fill('demo-password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    return page
  }
  const take = async (page: Page, caption: string) => {
    const seen = (await page.screenshot()).toString('base64')
    await film.setContent(`<body style="margin: 0; background: #1c2733; color: #fff; font: 600 18px/60px sans-serif">
      <img src="data:image/png;base64,${seen}" style="display: block; width: 100%">
      <div style="padding: 0 20px">${caption}
        <span style="float: right; font-weight: 400">${scenes.length + 1} / 5</span></div>`)
    scenes.push(await webpOf(film))
  }

  const olivia = await sitDown(
    'olivia',
    '/console/act?user=alice&ticket=SUP-123&reason=The+parcel+should+go+next+door',
  )
  await olivia.getByLabel('Look and change').check()
  await take(olivia, 'Olivia opens a link in the ticket, and acts as Alice.')

  const opened = olivia.context().waitForEvent('page')
  await olivia.getByRole('button', { name: 'Act as' }).click()
  const shop = await opened
  await shop.getByText('Coffee grinder').waitFor()
  for (const colorScheme of ['dark', 'light'] as const) {
    await shop.emulateMedia({ colorScheme })
    await save(shop, DOCS, `acting-${colorScheme}`)
  }
  await take(shop, 'She sees the shop as Alice sees it. A bar says who acts as whom.')

  await shop.getByLabel('Delivery note').last().fill('Leave it with Mr Adler next door')
  await shop.getByRole('button', { name: 'Save note' }).last().click()
  await shop.getByText('The note is saved.').waitFor()
  await take(shop, 'What she does is done for Alice, and recorded under her own name.')

  const alice = await sitDown('alice', '/account/enter')
  await alice.getByText('Changed the delivery note').waitFor()
  await take(alice, 'Alice sees that Olivia acts as her, and ends it.')

  await alice.getByRole('button', { name: 'End it now' }).click()
  await shop.getByText('You no longer act as Alice Ng').waitFor()
  await take(shop, 'Seconds later, Olivia’s page is covered. Her token no longer works.')
  await keep(DOCS, 'acting', movingWebp(scenes, { ...FILM, milliseconds: 4000 }))
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
    /** Prepares the page for its picture. */
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
  await keep(folder, name, await webpOf(page))
}

async function webpOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 90 })
  return Buffer.from(data, 'base64')
}

async function keep(folder: string, name: string, content: Buffer): Promise<void> {
  const path = join(folder, `${name}.webp`)
  await writeFile(path, content)
  console.log(relative(process.cwd(), path))
}
