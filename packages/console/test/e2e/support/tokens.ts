import type { BrowserContext, Page } from 'playwright-core'
import type { Collected, Token } from './collect-tokens.ts'

/** Names of a subject token: the shop keeps it while it leads through the sign-in. */
const HANDED_OVER = ['impersonation', 'subjectToken', 'subject_token']

interface Place {
  readonly place: string
  readonly text: string
}

/**
 * The tokens that one visit has received, and where they are.
 *
 * @param applications origins to which the console hands over: by the fragment of an address, and the
 * application stores the subject token of the tab while the operator signs in there
 */
export function tokensOf(
  context: BrowserContext,
  collected: Collected,
  urls: readonly string[],
  applications: readonly string[] = [],
) {
  const isHandOver = (url: string) => {
    const { origin, pathname, search, hash } = new URL(url)
    return applications.includes(origin) && !/token/.test(pathname + search) && hash !== ''
  }

  async function leaks() {
    const pages = (await Promise.all(context.pages().map(placesOf))).flat()
    const now: Place[] = [
      ...urls
        .filter((url) => !isHandOver(url))
        .map((url) => ({ place: `the URL ${new URL(url).pathname}`, text: withoutHint(url) })),
      ...(await scriptCookies(context)),
      ...pages.map(({ place, text }) => ({ place, text: withoutHint(text) })),
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
    /** All tokens that the visit has seen so far. */
    async seen() {
      await collected.settled()
      return collected.tokens
    },
    /** Every forbidden place that contains a token, in words. */
    leaks,
  }
}

/**
 * The sign-out has the ID token in its address, as its specification says: it opens nothing. An
 * access token there would be a finding.
 */
function withoutHint(text: string) {
  return text.replaceAll(/(\/session\/end\?[^"\s]*?id_token_hint=)[\w.-]+/g, '$1')
}

/** Any use of these stores is a finding: no page here uses them. */
function isStoreInUse({ place, text }: Place) {
  return ['IndexedDB', 'CacheStorage'].includes(place) && text !== '[]'
}

function findings(tokens: readonly Token[], places: readonly Place[]) {
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

/** Everything that a script in the page, or a user of the page, could read. */
async function placesOf(page: Page): Promise<Place[]> {
  return page.evaluate(async () => {
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
      { place: 'the page', text: [document.documentElement.outerHTML, ...values].join('\n') },
    ]
  })
}
