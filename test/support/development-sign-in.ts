const REDIRECT_URI = 'https://console.example.com/callback'
const VERIFIER = 'a-verifier-that-is-long-enough-for-pkce-0123456789'

/**
 * The access token of a person who signs in at a client, on the pages that
 * oidc-provider has for development, wherever the issuer sends the browser: with the scope
 * `openid`, or for a resource.
 */
export async function signInAt(
  issuer: string,
  accountId: string,
  resource?: string,
  clientId = 'console',
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientId,
    code: await codeOf(issuer, accountId, clientId, resource),
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    ...(resource && { resource }),
  })
  const response = await fetch(`${issuer}/token`, { method: 'POST', body })
  const { access_token: accessToken, ...rest }: { access_token?: string } = JSON.parse(
    await response.text(),
  )
  if (!accessToken) throw new Error(`no access token: ${JSON.stringify(rest)}`)
  return accessToken
}

async function codeOf(
  issuer: string,
  accountId: string,
  clientId: string,
  resource?: string,
): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(VERIFIER))
  const jars = new Map<string, Map<string, string>>()
  const jarOf = (address: string) => {
    const { origin } = new URL(address)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    return jar
  }
  const question = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: resource ? 'openid orders:read' : 'openid',
    code_challenge: Buffer.from(digest).toString('base64url'),
    code_challenge_method: 'S256',
    ...(resource && { resource }),
  })
  let url = `${issuer}/auth?${question}`
  let answer: Record<string, string> | undefined
  for (let page = 0; page < 20; page += 1) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jarOf(url)].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(answer && { method: 'POST', body: new URLSearchParams(answer) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      jarOf(url).set(name, value)
    }
    const location = response.headers.get('location')
    answer = undefined
    if (location) {
      url = new URL(location, url).href
      if (!url.startsWith(REDIRECT_URI)) continue
      const { searchParams } = new URL(url)
      const code = searchParams.get('code')
      if (code) return code
      throw new Error(`the sign-in was refused: ${searchParams}`)
    }
    const html = await response.text()
    const [, prompt] = /name="prompt" value="(login|consent)"/.exec(html) ?? []
    if (!prompt) throw new Error(`the sign-in stopped: ${response.status} ${html}`)
    const [, action = url] = /<form[^>]* action="([^"]+)"/.exec(html) ?? []
    url = new URL(action, url).href
    answer = prompt === 'login' ? { prompt, login: accountId, password: 'any' } : { prompt }
  }
  throw new Error('the sign-in does not end')
}
