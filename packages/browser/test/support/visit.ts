import { fail } from 'node:assert/strict'
import { browser } from '../../../console/test/e2e/support/browser.ts'
import '../../../console/test/e2e/support/disposal.ts'
import { watch } from '../../../console/test/e2e/support/watch.ts'
import type { Sites } from './sites.ts'

export type Visit = Awaited<ReturnType<typeof visit>>

const WAIT_TIMEOUT_MS = 24_000

/** When it is disposed of, the test fails if anything went wrong in a page and was not announced. */
export async function visit(sites: Sites) {
  const context = await (await browser()).newContext({ baseURL: sites.application.url })
  context.setDefaultTimeout(WAIT_TIMEOUT_MS)
  const { urls, complaints, ...announcements } = watch(
    context,
    sites.application.url,
    new URL(sites.issuer).origin,
    sites.api,
  )
  const page = await context.newPage()
  return {
    ...announcements,
    page,
    context,
    /** Every URL that was requested or shown. */
    urls,
    async [Symbol.asyncDispose]() {
      try {
        await Promise.all(
          context.pages().map((each) => each.evaluate(() => document.readyState).catch(() => {})),
        )
        const wrong = complaints()
        if (wrong.length > 0) fail(`in the browser:\n${wrong.map((it) => `- ${it}`).join('\n')}`)
      } finally {
        await context.close()
      }
    },
  }
}
