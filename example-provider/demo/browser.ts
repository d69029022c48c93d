import { check } from './report.ts'

/** The timeout of an answer, in milliseconds. */
export const TIMEOUT_MS = 10_000

const MAX_REDIRECTS = 10

interface Cookie {
  readonly name: string
  readonly value: string
  readonly path: string
}

/** The parts of a browser that a sign-in needs: cookies and redirects. */
export class Browser {
  readonly #origin: string
  #cookies: Cookie[] = []

  /** @param origin the only origin for requests, so that the password goes to no other server */
  constructor(origin: string) {
    this.#origin = origin
  }

  /** Signs in on the sign-in page. Returns the URL that the provider redirects to. */
  async signIn(authorizationUrl: URL, login: string, password: string, redirectUri: string) {
    const page = await this.#follow(authorizationUrl, redirectUri)
    check(page.response?.status === 200, 'there is no sign-in page')
    const markup = await page.response.text()
    check(
      markup.includes('name="login"') && markup.includes('name="password"'),
      'the sign-in page has no fields login and password',
    )
    const end = await this.#follow(page.url, redirectUri, new URLSearchParams({ login, password }))
    check(end.response?.status !== 401, `${login} was not let in: is the password right?`)
    check(end.response === undefined, 'signing in did not lead back to the application')
    return end.url
  }

  /** Follows redirects to a page, or to the application's URL, which it does not request. */
  async #follow(
    start: URL,
    redirectUri: string,
    form?: URLSearchParams,
  ): Promise<{ url: URL; response?: Response }> {
    let url = start
    let body = form
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      if (`${url.origin}${url.pathname}` === redirectUri) return { url }
      const response = await this.#send(url, body)
      const location = response.headers.get('location')
      if (location === null) return { url, response }
      url = new URL(location, url)
      body = undefined
    }
    check(false, 'signing in is a circle of redirects')
  }

  async #send(url: URL, form: URLSearchParams | undefined): Promise<Response> {
    check(url.origin === this.#origin, `signing in leads away to ${url.origin}`)
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      headers: { cookie: this.#cookiesFor(url.pathname) },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(form ? { body: form } : {}),
    })
    check(response.status < 500, `the provider answered ${response.status}`)
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  #cookiesFor(path: string): string {
    const matching = this.#cookies.filter(
      (cookie) => path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, '/')),
    )
    return matching.map(({ name, value }) => `${name}=${value}`).join('; ')
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(/; */)
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/'
    const others = this.#cookies.filter((cookie) => cookie.name !== name || cookie.path !== path)
    this.#cookies = value === '' ? others : [...others, { name, value, path }]
  }
}
