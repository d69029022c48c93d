// Makes the moving picture of the README, docs/images/acting.webp: an operator acts, and the customer ends it.
//   npm run screenshots
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { enter } from '../test/e2e/support/sign-in.ts'
import { launch, temporaryFolder } from '../test/example-provider/support.ts'

const PICTURE = join(import.meta.dirname, '../docs/images/acting.webp')
/** In CSS pixels: the picture is as wide as its frames. */
const FRAME = { width: 800, height: 560 }
/** What a scene shows, before it is made as small as a frame. */
const SCREEN = { width: 1120, height: 700 }

interface Scene {
  readonly png: Buffer
  readonly caption: string
  readonly seconds: number
}

if (spawnSync('ffmpeg', ['-version']).error) {
  console.log('docs/images/acting.webp is left as it is: it needs ffmpeg (apt-get install ffmpeg)')
} else {
  await makeMovingPicture()
}

async function makeMovingPicture(): Promise<void> {
  await using folder = await temporaryFolder()
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    const scenes = await play()
    const frame = await browser.newPage({ viewport: FRAME })
    const list: string[] = []
    for (const [index, { png, caption, seconds }] of scenes.entries()) {
      await frame.setContent(frameOf(png, caption, `${index + 1} / ${scenes.length}`))
      await writeFile(join(folder.path, `${index}.png`), await frame.screenshot())
      list.push(`file '${index}.png'`, `duration ${seconds}`)
    }
    // ffmpeg leaves out the duration of the last one, unless it stands there twice.
    list.push(`file '${scenes.length - 1}.png'`)
    await writeFile(join(folder.path, 'scenes.txt'), list.join('\n'))
  } finally {
    await browser.close()
  }
  const { status, stderr } = spawnSync(
    'ffmpeg',
    [
      ...['-y', '-loglevel', 'error', '-f', 'concat', '-i', 'scenes.txt', '-vf', 'fps=2'],
      ...['-c:v', 'libwebp_anim', '-quality', '80', '-compression_level', '6', '-loop', '0'],
      PICTURE,
    ],
    { cwd: folder.path, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`ffmpeg made no moving picture: ${stderr}`)
  console.log('docs/images/acting.webp')

  /** Olivia and Alice in the example, each in a browser of her own. */
  async function play(): Promise<Scene[]> {
    await using data = await temporaryFolder()
    await using example = await launch({ DATA_DIR: data.path, STORAGE_URL: 'memory:' })
    const options = { baseURL: example.url, viewport: SCREEN, locale: 'en-GB' } as const
    const [olivia, alice] = await Promise.all([
      browser.newContext(options),
      browser.newContext(options),
    ])
    const scenes: Scene[] = []
    const scene = async (page: Page, seconds: number, caption: string) => {
      scenes.push({ png: await page.screenshot({ animations: 'disabled' }), caption, seconds })
    }

    const console = await olivia.newPage()
    const ticket = 'user=alice&ticket=SUP-123&reason=The+parcel+should+go+next+door'
    await enter(console, 'olivia', `/console/act?${ticket}`)
    await console.getByLabel('Look and change').check()
    await scene(console, 4, 'Olivia opens a link in the ticket, and acts as Alice.')

    const opened = olivia.waitForEvent('page')
    await console.getByRole('button', { name: 'Act as' }).click()
    const shop = await opened
    await shop.getByText('Coffee grinder').waitFor()
    await scene(shop, 4, 'She sees the shop as Alice sees it. A bar says who acts as whom.')

    const order = shop.locator('[data-order="A-1003"]')
    await order.getByLabel('Delivery note').fill('Leave it with Mr Okafor next door')
    await order.getByRole('button', { name: 'Save note' }).click()
    await shop.getByText('The note is saved.').waitFor()
    await scene(shop, 4, 'What she does is done for Alice, and recorded under her own name.')

    const account = await alice.newPage()
    await enter(account, 'alice', '/account')
    const end = account.getByRole('button', { name: /^End/ }).first()
    await end.waitFor()
    await scene(account, 4, 'Alice sees that Olivia acts as her, and ends it.')

    await end.click()
    await shop.bringToFront()
    await shop.getByText('The customer ended it.').first().waitFor({ timeout: 20_000 })
    await scene(shop, 4, 'Seconds later, Olivia’s page is covered. Her token no longer works.')

    await Promise.all([olivia.close(), alice.close()])
    return scenes
  }
}

function frameOf(png: Buffer, caption: string, place: string): string {
  return `<!doctype html><style>
    body { margin: 0; height: 100vh; display: grid; grid-template-rows: 500px 60px; background: #1c2530 }
    img { width: 800px; height: 500px; display: block }
    p { margin: 0; padding: 0 20px; display: flex; align-items: center; justify-content: space-between;
        color: #fff; font: 600 18px/1.3 system-ui, sans-serif }
    span { color: #aab6c4; font-size: 14px; font-weight: 400 }
  </style><img src="data:image/png;base64,${png.toString('base64')}"><p>${caption} <span>${place}</span></p>`
}
