import type { Page, Route } from 'playwright-core'

export interface Held {
  /** Resolves when the request is under way. */
  readonly arrived: Promise<Route>
  /** Lets it through to the server. */
  goOn(): Promise<void>
  answer(status: number, json: object): Promise<void>
}

/** Holds the next request that fits. The ones after it go through. */
export async function hold(page: Page, method: string, fits: (url: URL) => boolean): Promise<Held> {
  const { promise: arrived, resolve } = Promise.withResolvers<Route>()
  let isHeld = false
  await page.route(fits, (route) => {
    if (isHeld || route.request().method() !== method) return route.fallback()
    isHeld = true
    resolve(route)
  })
  return {
    arrived,
    // A request that the page no longer wants is gone.
    goOn: async () => (await arrived).continue().catch(() => {}),
    answer: async (status, json) => (await arrived).fulfill({ status, json }).catch(() => {}),
  }
}

/** The path below the API of the console. */
export const asks = (path: string | RegExp) => (url: URL) => {
  const below = url.pathname.replace(/^\/console/, '')
  return typeof path === 'string' ? below === path : path.test(below + url.search)
}
