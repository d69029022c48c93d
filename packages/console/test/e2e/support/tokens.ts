import { fail, ok } from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import type { Collected, Token } from './collect-tokens.ts'

/** The tokens that one visit has received, and where they are. */
export interface Tokens {
  /** All tokens that the visit has seen so far. */
  seen(): Promise<readonly Token[]>
  /** From now on the page may show tokens, because the person asked for it. */
  reveal(): void
  /** From now on the page may not show tokens, as at the start. */
  conceal(): void
  /** Every forbidden place that contains a token, in words. */
  leaks(log?: string): Promise<string[]>
  /**
   * Expects that there are tokens, and that no token is in a forbidden place.
   *
   * @param log what the server has printed
   */
  expectNowhere(log?: string): Promise<void>
}

/** How a subject token is called: the shop keeps it while it leads through the sign-in. */
const HANDED_OVER = ['impersonation', 'subjectToken', 'subject_token']

interface Place {
  readonly place: string
  readonly text: string
}

/**
 * @param applications origins to which the console hands over: by the fragment of an address, and the
 * application stores the subject token of the tab while the operator signs in there
 */
export function tokensOf(
  context: BrowserContext,
  collected: Collected,
  urls: readonly string[],
  applications: readonly string[] = [],
): Tokens {
  let revealed = false

  const isHandOver = (url: string) => {
    const { origin, pathname, search, hash } = new URL(url)
    return applications.includes(origin) && !/token/.test(pathname + search) && hash !== ''
  }

  async function leaks(log = ''): Promise<string[]> {
    const pages = (await Promise.all(context.pages().map(placesOf))).flat()
    const now: Place[] = [
      ...urls
        .filter((url) => !isHandOver(url))
        .map((url) => ({ place: `the URL ${new URL(url).pathname}`, text: withoutHint(url) })),
      ...(await scriptCookies(context)),
      ...pages
        .filter(({ place }) => !(revealed && place === IN_PAGE))
        .map(({ place, text }) => ({ place, text: withoutHint(text) })),
      { place: 'the log of the server', text: log },
    ]
    await collected.settled()
    // The page has to store the code_verifier during the sign-in, so it may be among the stored
    // values.
    const stored = ['code_verifier', ...(applications.length > 0 ? HANDED_OVER : [])]
    const lasting = collected.tokens.filter(({ name }) => !stored.includes(name))
    const found = [...findings(collected.tokens, now), ...findings(lasting, collected.written)]
    return [
      ...new Set(found),
      ...pages.filter(isStoreInUse).map(({ place, text }) => `${place} is in use: ${text}`),
      ...collected.unread.map((url) => `the answer of ${url} could not be read: is a token in it?`),
    ]
  }

  return {
    async seen() {
      await collected.settled()
      return collected.tokens
    },
    reveal() {
      revealed = true
    },
    conceal() {
      revealed = false
    },
    leaks,
    async expectNowhere(log) {
      const found = await leaks(log)
      if (found.length > 0) fail(`tokens that lie about:\n- ${found.join('\n- ')}`)
      ok(collected.tokens.length > 0, 'no token has passed by: there is nothing to look for')
    },
  }
}

/**
 * The sign-out has the ID token in its address, as its specification says: it opens nothing. An
 * access token there would be a finding.
 */
function withoutHint(text: string): string {
  return text.replaceAll(/(\/session\/end\?[^"\s]*?id_token_hint=)[\w.-]+/g, '$1')
}

/** Any use of these stores is a finding: no page here uses them. */
function isStoreInUse({ place, text }: Place): boolean {
  return ['IndexedDB', 'CacheStorage'].includes(place) && text !== '[]'
}

function findings(tokens: readonly Token[], places: readonly Place[]): string[] {
  return tokens.flatMap(({ name, value }) =>
    places
      .filter(({ text }) => text.includes(value))
      .map(({ place }) => `${name} ${value.slice(0, 8)}… in ${place}`),
  )
}

async function scriptCookies(context: BrowserContext): Promise<Place[]> {
  const cookies = await context.cookies()
  return cookies
    .filter(({ httpOnly }) => !httpOnly)
    .map(({ name, value }) => ({ place: `the cookie ${name}`, text: value }))
}

const IN_PAGE = 'the page'

/** Everything that a script in the page, or a user of the page, could read. */
async function placesOf(page: Page): Promise<Place[]> {
  return page.evaluate(async (inPage) => {
    // Before the first page, and when the server does not answer, none of this exists.
    if (self.origin === 'null') return []
    const databases = await indexedDB.databases()
    const fields = document.querySelectorAll('input, textarea')
    const values = [...fields].map((field) => ('value' in field ? String(field.value) : ''))
    const entries = navigation.entries()
    return [
      { place: 'localStorage', text: JSON.stringify({ ...localStorage }) },
      { place: 'sessionStorage', text: JSON.stringify({ ...sessionStorage }) },
      { place: 'document.cookie', text: document.cookie },
      { place: 'window.name', text: window.name },
      { place: 'history.state', text: JSON.stringify(history.state) ?? '' },
      { place: 'the history', text: JSON.stringify(entries.map((it) => [it.url, it.getState()])) },
      { place: 'IndexedDB', text: JSON.stringify(databases.map((it) => it.name)) },
      { place: 'CacheStorage', text: JSON.stringify(await caches.keys()) },
      { place: inPage, text: [document.documentElement.outerHTML, ...values].join('\n') },
    ]
  }, IN_PAGE)
}
