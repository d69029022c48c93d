import { format } from 'node:util'
import type { BrowserContext, BrowserContextOptions } from 'playwright-core'
import { browser } from '../../../packages/console/test/e2e/support/browser.ts'
import { movedClock } from '../../../packages/console/test/e2e/support/moved-clock.ts'
import { launch, start } from '../../example-provider/support.ts'
import { newFolder } from '../../support/folder.ts'

type Environment = Record<string, string>

export type LaunchedExample = Awaited<ReturnType<typeof launchExample>>

/** As a process of its own. */
export async function launchExample(environment: Environment = {}, ...options: string[]) {
  const own = { DATA_DIR: newFolder(), STORAGE_URL: 'memory:' }
  const example = await launch({ ...own, ...environment }, ...options)
  let errors = ''
  example.child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  return {
    url: example.url,
    /** The page of the shop. */
    shopUrl: /^Shop +(\S+)$/m.exec(example.printed())?.[1] ?? '',
    /** Everything so far, output and errors. */
    log: () => example.printed() + errors,
    [Symbol.asyncDispose]: () => example[Symbol.asyncDispose](),
  }
}

/** The part of an example for a test that has not started it. */
export type SharedExample = Pick<LaunchedExample, 'log' | 'shopUrl' | 'url'>

let shared: Promise<LaunchedExample> | undefined

/** The one example of all tests that do not mind what others did in it. It ends with the run. */
export function sharedExample(): Promise<SharedExample> {
  shared ??= launchExample()
  return shared
}

after(async () => (await shared)?.[Symbol.asyncDispose]())

/** An empty browser in front of the example. */
export async function newContext(
  { url }: SharedExample,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await (await browser()).newContext({ baseURL: url, locale: 'en-GB', ...options })
  context.setDefaultTimeout(24_000)
  return context
}

/** The example in this process, whose clock a test can move. What it prints is kept back. */
export interface StartedExample extends LaunchedExample {
  /** Moves the clock of the server on, and not that of the browser. */
  moveClock(milliseconds: number): void
}

export async function startExampleHere(environment: Environment = {}): Promise<StartedExample> {
  const example = await start(environment)
  const clock = movedClock()
  const { log, error } = console
  const printed: string[] = []
  console.log = console.error = (...parts) => {
    printed.push(`${format(...parts)}\n`)
  }
  return {
    url: example.url,
    shopUrl: `${example.shopUrl}/`,
    log: () => printed.join(''),
    moveClock: clock.by,
    async [Symbol.asyncDispose]() {
      clock[Symbol.dispose]()
      await example[Symbol.asyncDispose]()
      Object.assign(console, { log, error })
    },
  }
}
