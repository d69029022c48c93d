import type { BrowserContext, Page, Request, Response } from 'playwright-core'

/** A value that lets its holder act as a user, or redeem a code. */
export interface Token {
  readonly name: string
  readonly value: string
}

/** Something that was put into the session storage or the local storage. */
export interface Written {
  readonly place: string
  readonly text: string
}

export type Collected = ReturnType<typeof collectTokens>

/** The names of parameters and JSON members. An authorization code alone is useless. */
const NAMES: ReadonlySet<string> = new Set([
  'access_token',
  'actor_token',
  'code_verifier',
  'id_token',
  'id_token_hint',
  'impersonation',
  'refresh_token',
  'subjectToken',
  'subject_token',
  'token',
])

/** Shorter values are something else with the same name. */
const SHORTEST = 20

/** Collects every token in a request or an answer, of every page. */
export function collectTokens(context: BrowserContext) {
  const tokens = new Map<string, Token>()
  const written: Written[] = []
  const unread: string[] = []
  let work: Promise<void> = Promise.resolve()
  const later = (task: Promise<void>) => {
    work = Promise.all([work, task]).then(() => {})
  }

  function keep(name: string, value: unknown) {
    if (!NAMES.has(name) || typeof value !== 'string' || value.length < SHORTEST) return
    if (!tokens.has(value)) tokens.set(value, { name, value })
  }

  function keepAll(parameters: URLSearchParams) {
    for (const [name, value] of parameters) keep(name, value)
  }

  function keepJson(text: string) {
    JSON.parse(text, (name, value: unknown) => {
      keep(name, value)
      return value
    })
  }

  function fromRequest(request: Request) {
    const { authorization = '', 'content-type': type = '' } = request.headers()
    keep('access_token', /^(?:Bearer|DPoP) (\S+)$/i.exec(authorization)?.[1])
    const url = URL.parse(request.url())
    if (url) keepAll(url.searchParams)
    if (url) keepAll(new URLSearchParams(url.hash.slice(1)))
    const body = request.postData() ?? ''
    if (type.startsWith('application/x-www-form-urlencoded')) keepAll(new URLSearchParams(body))
    if (isJson(type) && isParsable(body)) keepJson(body)
  }

  async function fromResponse(response: Response) {
    if (!isJson(response.headers()['content-type'] ?? '')) return
    try {
      keepJson(await response.text())
    } catch {
      // The answer to a POST may contain a token, and the test cannot search for an unknown token.
      if (response.ok() && response.request().method() === 'POST') {
        unread.push(response.url())
      }
    }
  }

  async function fromStorage(page: Page) {
    const devTools = await context.newCDPSession(page)
    const store = (event: {
      storageId: { isLocalStorage: boolean }
      key: string
      newValue: string
    }) => {
      const place = event.storageId.isLocalStorage ? 'localStorage' : 'sessionStorage'
      written.push({ place, text: `${event.key} ${event.newValue}` })
    }
    devTools.on('DOMStorage.domStorageItemAdded', store)
    devTools.on('DOMStorage.domStorageItemUpdated', store)
    await devTools.send('DOMStorage.enable')
  }

  context.on('request', fromRequest)
  context.on('response', (response) => later(fromResponse(response)))
  // A window that closes at once has no storage to read.
  context.on('page', (page) => later(fromStorage(page).catch(() => {})))

  return {
    get tokens() {
      return [...tokens.values()]
    },
    /** Everything that was ever stored, even if it was removed later. */
    written,
    /** Answers that were discarded before the test could read them. */
    unread,
    /** Resolves when all that has arrived has been read. */
    settled: () => work,
  }
}

/** A test may let a page send any data. */
function isParsable(text: string) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function isJson(type: string) {
  return /^application\/(?:[\w.-]+\+)?json\b/.test(type)
}
