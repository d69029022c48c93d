import * as oauth from 'oauth4webapi'
import type { Settings } from '../settings.ts'
import { TIMEOUT_MS, unexpected, unreachable } from './provider-client.ts'

export interface MachineTokenOptions extends Pick<Settings, 'machine'> {
  readonly issuer: string
  /** Where the token endpoint is reached from here. */
  readonly tokenEndpoint: string
  /** The resource indicator of the management API. */
  readonly resource: string
  readonly scope: string
  /** The clock, in milliseconds. @defaultValue `Date.now` */
  readonly now?: (() => number) | undefined
}

/** The console's own access token for the management API. */
export interface MachineToken {
  /** A token that is valid for a while: the current one, or a new one. */
  get(): Promise<string>
  /** Marks a token as refused, so that `get` does not answer it again. */
  discard(token: string): void
}

/** How long before its expiry a token is replaced, in milliseconds; at most half its life. */
const MARGIN = 30_000

export function machineToken(options: MachineTokenOptions): MachineToken {
  const { issuer, tokenEndpoint, machine, resource, scope, now = () => Date.now() } = options
  const server: oauth.AuthorizationServer = { issuer, token_endpoint: tokenEndpoint }
  const client: oauth.Client = { client_id: machine.clientId }
  let current: { readonly value: string; readonly goodUntil: number } | undefined
  let pending: Promise<string> | undefined

  async function ask(): Promise<Response> {
    try {
      return await oauth.clientCredentialsGrantRequest(
        server,
        client,
        oauth.ClientSecretBasic(machine.clientSecret),
        { resource, scope },
        {
          signal: () => AbortSignal.timeout(TIMEOUT_MS),
          // Inside a data centre, the provider may be reached by http.
          [oauth.allowInsecureRequests]: true,
        },
      )
    } catch (cause) {
      throw unreachable(cause)
    }
  }

  async function fetchToken(): Promise<string> {
    const started = now()
    const response = await ask()
    const { access_token: value, expires_in: expiresIn = 0 } = await oauth
      .processClientCredentialsResponse(server, client, response)
      .catch((cause: unknown) => {
        const { status } = response
        if (status === 503 || status === 429) throw unreachable(cause)
        throw unexpected(
          `no token for options.machine.clientId ${machine.clientId}: the token endpoint answered ${status}`,
          cause,
        )
      })
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
