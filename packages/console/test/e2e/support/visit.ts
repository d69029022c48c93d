import { fail } from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browser } from './browser.ts'
import { collectTokens } from './collect-tokens.ts'
import './disposal.ts'
import { tokensOf } from './tokens.ts'
import { watch } from './watch.ts'

/** A laptop. */
export const WIDE = { width: 1280, height: 800 } as const
/** A telephone. */
export const NARROW = { width: 390, height: 844 } as const
/** A page of 1280, magnified four times: WCAG 1.4.10. */
export const NARROWEST = { width: 320, height: 640 } as const

export interface VisitOptions {
  /** @defaultValue `'light'` */
  readonly colorScheme?: 'dark' | 'light'
  /** @defaultValue {@link WIDE} */
  readonly viewport?: { readonly width: number; readonly height: number }
  /** The clock in the browser at the start; `page.clock` moves it. */
  readonly clock?: Date
  /** @defaultValue `'Europe/Berlin'` */
  readonly timezoneId?: string
  /** The language of the browser. @defaultValue `'en-GB'` */
  readonly locale?: string
  /** Other origins that pages may ask: those of applications. */
  readonly origins?: readonly string[]
}

/** A visitor with an empty browser. */
export type Visit = Awaited<ReturnType<typeof visit>>

/**
 * The time to wait for an expected element: as long as a machine three times as slow as usual needs,
 * and shorter than the time limit of a test, so that the error names the cause.
 */
const WAIT_TIMEOUT_MS = 24_000

/**
 * Opens a browser window for one test. When it is disposed of, the test fails if anything went
 * wrong in it that was not announced, or if a token is where none may be.
 */
export async function visit(base: string, options: VisitOptions = {}) {
  const { colorScheme = 'light', viewport = WIDE, timezoneId = 'Europe/Berlin', clock } = options
  const { locale = 'en-GB', origins = [] } = options
  const context = await (await browser()).newContext({
    baseURL: base,
    colorScheme,
    viewport,
    timezoneId,
    locale,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(WAIT_TIMEOUT_MS)
  const { urls, complaints, ...announcements } = watch(context, new URL(base).origin, ...origins)
  const collected = collectTokens(context)
  if (clock) await context.clock.install({ time: clock })
  const page = await context.newPage()
  await collected.settled()
  const tokens = tokensOf(context, collected, urls, origins)

  return {
    ...announcements,
    page,
    /** For further tabs, which are watched as well. */
    context,
    /** Every URL that was requested or shown. */
    urls,
    tokens,
    async [Symbol.asyncDispose]() {
      try {
        await Promise.all(context.pages().map(reportsOf))
        const wrong = [...complaints(), ...(await tokens.leaks())]
        if (wrong.length > 0) fail(`in the browser:\n${wrong.map((it) => `- ${it}`).join('\n')}`)
      } finally {
        await context.close()
      }
    },
  }
}

/** Waits for one answer of the page: all its earlier reports have arrived then. */
async function reportsOf(page: Page) {
  await page.evaluate(() => document.readyState).catch(() => {})
}
