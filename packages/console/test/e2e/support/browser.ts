import { accessSync, constants } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { skip } from '../../../../../test/support/skipping.ts'

/** The usual paths of Chromium. If `CHROMIUM` is set, only that path counts. */
const PLACES: readonly string[] = [
  // Without windows: the tests need half the time, and a quarter where they have several tabs.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** For machines where tests run as root, and without any background network requests. */
const ARGUMENTS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const places = process.env.CHROMIUM ? [process.env.CHROMIUM] : PLACES
const executablePath = places.find(isExecutable)
const MISSING = `there is no ${places.join(', no ')}: install Chromium (on Debian: apt-get install chromium-headless-shell), or say in CHROMIUM where it is`

let running: Promise<Browser> | undefined

/** The shared browser of the whole run; a new browser, if the old one is lost. */
export async function browser() {
  if (running && !(await running).isConnected()) running = undefined
  running ??= chromium.launch({ args: [...ARGUMENTS], ...(executablePath && { executablePath }) })
  return running
}

/** Hooks of the root suite, so that every test that visits a page has them. */
before('a browser', function () {
  if (executablePath === undefined) skip(this, MISSING)
})

after(async () => (await running)?.close())

function isExecutable(path: string) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
