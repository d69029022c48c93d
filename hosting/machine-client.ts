import {
  type Answer,
  basic,
  type IntrospectionOptions,
  post,
  unexpected,
} from './provider-client.ts'

export interface MachineTokenOptions extends IntrospectionOptions {
  /** The resource indicator of the management API. */
  readonly resource: string
  readonly scope: string
  /**
   * The clock, in milliseconds.
   * @defaultValue `Date.now`
   */
  readonly now?: (() => number) | undefined
}

/** The backend's own access token for the management API. */
interface MachineToken {
  /** Returns a token that is valid for a while: the current one, or a new one. */
  get(): Promise<string>
  /** Marks a token as refused, so that `get` does not return it again. */
  discard(token: string): void
}

/** How long before its expiry a token is replaced, in milliseconds; at most half its life. */
const MARGIN = 30_000

function machineToken(options: MachineTokenOptions): MachineToken {
  const { providerUrl, resource, scope, clientId, clientSecret, now = Date.now } = options
  let current: { readonly value: string; readonly goodUntil: number } | undefined
  let pending: Promise<string> | undefined

  async function fetchToken(): Promise<string> {
    const started = now()
    const answer = await post(
      new URL('/oidc/token', providerUrl),
      { authorization: basic(clientId, clientSecret) },
      new URLSearchParams({
        grant_type: 'client_credentials',
        resource,
        scope,
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

/** Sends JSON with the machine token. A token that is refused is replaced once. */
export function machineClient(
  options: MachineTokenOptions,
): (path: string, body: object) => Promise<Answer> {
  const { get, discard } = machineToken(options)
  return async (path, body) => {
    const send = async () => {
      const token = await get()
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const answer = await post(new URL(path, options.providerUrl), headers, JSON.stringify(body))
      if (answer.status === 401) discard(token)
      return answer
    }
    const first = await send()
    // The current token may be revoked, or the provider may have new keys.
    return first.status === 401 ? send() : first
  }
}
