const VERIFIER = 'a-verifier-that-is-long-enough-for-pkce-0123456789'

/**
 * Signs a person in to the console, through the pages of oidc-provider for development: they accept
 * every login with any password, and ask for consent.
 *
 * @returns the access token
 */
export async function signInByDevInteractions(url: string, login: string): Promise<string> {
  const jar = new Map<string, string>()
  const send = async (address: string, form?: Record<string, string>) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const body = form && new URLSearchParams(form)
    const response = await fetch(address, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie },
      ...(body ? { body } : {}),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
  const redirectUri = `${url}/console/callback`
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(VERIFIER))
  const parameters = new URLSearchParams({
    client_id: 'support-console',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid',
    code_challenge: Buffer.from(digest).toString('base64url'),
    code_challenge_method: 'S256',
  })
  let address = `${url}/oidc/auth?${parameters}`
  let response = await send(address)
  for (let hops = 0; hops < 12; hops += 1) {
    const location = response.headers.get('location')
    if (location?.startsWith(redirectUri)) {
      const code = new URL(location).searchParams.get('code') ?? ''
      return exchange(url, code, redirectUri)
    }
    if (location) {
      address = new URL(location, address).href
      response = await send(address)
      continue
    }
    const page = await response.text()
    const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(page) ?? []
    if (!prompt) throw new Error(`sign-in stopped: ${response.status} ${page.slice(0, 500)}`)
    response = await send(address, { prompt, login, password: 'any' })
  }
  throw new Error('signing in is a circle of redirects')
}

async function exchange(url: string, code: string, redirectUri: string): Promise<string> {
  const response = await fetch(`${url}/oidc/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'support-console',
      code,
      redirect_uri: redirectUri,
      code_verifier: VERIFIER,
    }),
  })
  const text = await response.text()
  const answer: { readonly access_token?: string } = JSON.parse(text)
  if (answer.access_token === undefined) throw new Error(`no token: ${text}`)
  return answer.access_token
}
