import type { BrowserContext } from 'playwright-core'

interface Happening {
  readonly kind: 'console' | 'dialog' | 'failure' | 'fault'
  readonly text: string
  readonly url?: string
  readonly status?: number
}

interface Announcement {
  readonly text: string
  covers(happening: Happening): boolean
}

const VIOLATION = /content.security.policy|trusted.?(types|html|script)/i
const LOADING = /^Failed to load resource: (?:.* status of (?<status>\d+))?/

/** Watches every page of the context, from its first request on. */
export function watch(context: BrowserContext, ...origins: readonly string[]) {
  const happenings: Happening[] = []
  const announcements: Announcement[] = []
  const urls: string[] = []
  const happened = (happening: Happening) => happenings.push(happening)

  context.on('console', (message) => {
    const text = message.text()
    if (message.type() !== 'error' && !VIOLATION.test(text)) return
    const { url } = message.location()
    const loading = LOADING.exec(text)
    if (!loading) happened({ kind: 'console', text: `console: ${text}` })
    else happened(failure(url, loading.groups?.status, `console: ${text} (${url})`))
  })
  context.on('weberror', (error) => {
    happened({ kind: 'fault', text: `uncaught: ${error.error().stack ?? error.error()}` })
  })
  context.on('dialog', async (dialog) => {
    happened({ kind: 'dialog', text: `${dialog.type()}: ${dialog.message()}` })
    // A page that closes also closes its dialog.
    await dialog.dismiss().catch(() => {})
  })
  context.on('request', (request) => {
    urls.push(request.url())
    if (isElsewhere(request.url(), origins)) {
      happened({ kind: 'fault', text: `a request to another origin: ${request.url()}` })
    }
  })
  context.on('response', (response) => {
    const status = response.status()
    if (status >= 400) happened(failure(response.url(), status, `${status} from ${response.url()}`))
  })
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText
    // The page itself cancelled the request: it navigated away, or no longer needs the answer.
    if (reason === 'net::ERR_ABORTED') return
    happened(failure(request.url(), undefined, `no answer from ${request.url()}: ${reason}`))
  })
  context.on('page', (page) => {
    page.on('crash', () => happened({ kind: 'fault', text: `crashed: ${page.url()}` }))
    // Covers also navigation without a request: a fragment, or pushState.
    page.on('framenavigated', (frame) => urls.push(frame.url()))
    page.on('websocket', (socket) => {
      urls.push(socket.url())
      happened({ kind: 'fault', text: `a web socket: ${socket.url()}` })
    })
  })

  return {
    /** Every URL that was requested or shown, in order. */
    urls,
    /**
     * Announces a request that fails, before or after it, and the line that Chromium writes about it.
     *
     * @param url the path, or a pattern for the whole URL
     * @param status the status of the answer; without it, no answer at all counts, too
     */
    expectFailure(url: string | RegExp, status?: number) {
      announcements.push({
        text: `a failure of ${url}${status === undefined ? '' : ` with ${status}`}`,
        covers: (it) =>
          it.kind === 'failure' &&
          matches(url, it.url ?? '') &&
          (status === undefined || it.status === status),
      })
    },
    /** Announces an error or a violation in the console. */
    expectConsoleError(pattern: RegExp) {
      announcements.push({
        text: `${pattern} in the console`,
        covers: (it) => it.kind === 'console' && pattern.test(it.text),
      })
    },
    /** Everything that happened and was not announced, or was announced and did not happen. */
    complaints: () => [
      ...happenings
        .filter((it) => !announcements.some((a) => a.covers(it)))
        .map(({ text }) => text),
      ...announcements
        .filter((a) => !happenings.some((it) => a.covers(it)))
        .map(({ text }) => `announced, but did not happen: ${text}`),
    ],
  }
}

function failure(url: string, status: number | string | undefined, text: string): Happening {
  const known = status === undefined ? {} : { status: Number(status) }
  return { kind: 'failure', text, url, ...known }
}

function isElsewhere(url: string, origins: readonly string[]) {
  // `data:` makes no request, and the origin of a `blob:` is the origin of its page.
  const { protocol, origin: target } = new URL(url)
  return protocol !== 'data:' && !origins.includes(target)
}

function matches(expected: string | RegExp, url: string) {
  return typeof expected === 'string' ? URL.parse(url)?.pathname === expected : expected.test(url)
}
