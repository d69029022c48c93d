export interface Page {
  /** The address to which the redirects have led. */
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The most that browsers keep of a cookie, its name and its value, in characters. */
const MAX_COOKIE_LENGTH = 4096

/**
 * A browser without scripts: follows redirects, keeps cookies for each origin, and leaves them out
 * of forms that come from another origin, as `SameSite=Lax` asks.
 */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>()
  /** Every header `Set-Cookie` so far. */
  readonly setCookies: string[] = []
  /** Every address that was asked for so far. */
  readonly urls: string[] = []

  /** The header `Cookie` for an origin. */
  cookies(origin: string): string {
    return [...(this.#cookies.get(origin) ?? [])].map((pair) => pair.join('=')).join('; ')
  }

  setCookie(origin: string, header: string): void {
    for (const pair of header.split('; ')) this.#keep(origin, pair)
  }

  /** @param until the address at which to stop without asking for it */
  get(url: string, until?: (url: string) => boolean): Promise<Page> {
    return this.#follow(url, {}, until)
  }

  /** Submits a form of a page of `origin`; `undefined` is a client that does not tell. */
  post(
    url: string,
    form: Record<string, string>,
    origin: string | undefined,
    until?: (url: string) => boolean,
  ): Promise<Page> {
    const headers = origin === undefined ? {} : { origin }
    return this.#follow(url, { method: 'POST', body: new URLSearchParams(form), headers }, until)
  }

  async #follow(start: string, init: RequestInit, until = (_url: string) => false): Promise<Page> {
    let page = await this.send(start, init)
    for (let hop = 0; hop < 10; hop += 1) {
      const location = page.headers.get('location')
      if (!location) return page
      const url = new URL(location, page.url).href
      if (until(url)) return { ...page, url }
      page = await this.send(url)
    }
    throw new Error(`more redirects than a browser follows, at ${page.url}`)
  }

  /** One request, whose redirect is not followed. */
  async send(url: string, init: RequestInit = {}): Promise<Page> {
    this.urls.push(url)
    const { origin } = new URL(url)
    const headers = new Headers(init.headers)
    const isForeignForm = init.method === 'POST' && (headers.get('origin') ?? origin) !== origin
    if (!isForeignForm) headers.set('cookie', this.cookies(origin))
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      this.setCookies.push(line)
      this.#keep(origin, line.split(';', 1)[0] ?? '', /expires=Thu, 01 Jan 1970/i.test(line))
    }
    return { url, status: response.status, headers: response.headers, text: await response.text() }
  }

  #keep(origin: string, pair: string, isGone = false): void {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(pair) ?? []
    const cookies = this.#cookies.get(origin) ?? new Map<string, string>()
    this.#cookies.set(origin, cookies)
    // As browsers do, without a word.
    if (name.length + value.length > MAX_COOKIE_LENGTH) return
    if (isGone || value === '') cookies.delete(name)
    else cookies.set(name, value)
  }
}
