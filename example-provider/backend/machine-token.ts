import type { BackendOptions } from './options.ts'
import { basic, post, unexpected } from './provider-client.ts'

/** The backend's own access token for the management API. */
export interface MachineToken {
  /** Returns a token that is valid for a while: the current one, or a new one. */
  get(): Promise<string>
  /** Marks a token as refused, so that `get` does not return it again. */
  discard(token: string): void
}

/** How long before its expiry a token is replaced, in milliseconds; at most half its life. */
const MARGIN = 30_000

export function machineToken(options: BackendOptions): MachineToken {
  const { providerUrl, managementResource, clientId, clientSecret, now = Date.now } = options
  let current: { readonly value: string; readonly goodUntil: number } | undefined
  let pending: Promise<string> | undefined

  async function fetchToken(): Promise<string> {
    const started = now()
    const answer = await post(
      new URL('/oidc/token', providerUrl),
      { authorization: basic(clientId, clientSecret) },
      new URLSearchParams({
        grant_type: 'client_credentials',
        resource: managementResource,
        scope: 'impersonate',
      }),
    )
    const { access_token: value, expires_in: expiresIn } = answer.json
    if (answer.status !== 200 || typeof value !== 'string' || typeof expiresIn !== 'number') {
      throw unexpected('client_credentials', answer)
    }
    const life = expiresIn * 1000
    current = { value, goodUntil: started + life - Math.min(MARGIN, life / 2) }
    return value
  }

  return {
    async get() {
      if (current && now() < current.goodUntil) return current.value
      pending ??= fetchToken().finally(() => {
        pending = undefined
      })
      return pending
    },
    discard(token) {
      if (current?.value === token) current = undefined
    },
  }
}
