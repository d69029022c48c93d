import type { RequestListener } from 'node:http'
import { deflateSync } from 'node:zlib'
import { expect } from 'chai'
import {
  AUDIENCE,
  startTokenIssuer,
  type TokenIssuer,
} from '../../../../test/support/token-issuer.ts'
import {
  RequestRefused,
  type ResourceServer,
  type ResourceServerOptions,
  resourceServer,
  StatusUnavailable,
} from '../../src/index.ts'

const SIZE = 2 ** 10

/** A provider of impersonated tokens and their status list, over real HTTP. */
export interface StatusProvider extends Disposable {
  readonly tokens: TokenIssuer
  readonly issuer: string
  /** The URI of its list. */
  readonly uri: string
  /** The indices that the list has as ended. */
  readonly ended: Set<number>
  /** The seconds that its clock is ahead of this machine's. */
  skew: number
  /** The answer where a list is asked for; tests may change it. */
  answer: RequestListener
  /** The paths that were asked for, but for discovery and keys. */
  readonly asked: string[]
  guard(options?: Partial<ResourceServerOptions>): ResourceServer
  /** A `status` claim for its list. */
  status(idx: unknown, uri?: unknown): object
  /** An impersonated access token: with an index, or with any claims. */
  impersonated(status: number | object): Promise<string>
  /** The list token, changed by the given claims; `undefined` leaves a claim out. */
  list(claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>
  /** An answer with this list token. */
  serve(
    list: () => string | Promise<string>,
    headers?: Record<string, string>,
    status?: number,
  ): RequestListener
  close(): void
}

/** The claim `status_list`, of 2^10 statuses of one bit. */
export function listOf(ended: Iterable<number>): { bits: 1; lst: string } {
  const bytes = Buffer.alloc(SIZE / 8)
  for (const index of ended) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7))
  return { bits: 1, lst: deflateSync(bytes).toString('base64url') }
}

export async function startStatusProvider(): Promise<StatusProvider> {
  const tokens = await startTokenIssuer()
  const { discovery } = tokens.answer
  const asked: string[] = []
  const uri = `${tokens.issuer}/status-lists/a`
  const now = () => Date.now() / 1000 + provider.skew
  const provider: StatusProvider = {
    tokens,
    issuer: tokens.issuer,
    uri,
    ended: new Set(),
    skew: 0,
    answer: (request, response) => provider.serve(provider.list)(request, response),
    asked,
    guard: (options) => resourceServer({ issuer: tokens.issuer, audience: AUDIENCE, ...options }),
    status: (idx, at = uri) => ({ status_list: { idx, uri: at } }),
    impersonated(status) {
      const claims = typeof status === 'number' ? { status: provider.status(status) } : status
      const exp = Math.floor(now()) + 3600
      return tokens.token({ jti: 'impersonation:x', exp, ...claims })
    },
    list(claims = {}, header = {}) {
      const iat = Math.floor(now())
      return tokens.token(
        {
          ...{ iss: undefined, aud: undefined, client_id: undefined, jti: undefined },
          ...{ scope: undefined, sub: uri, iat, exp: iat + 30, ttl: 5 },
          status_list: listOf(provider.ended),
          ...claims,
        },
        { typ: 'statuslist+jwt', ...header },
      )
    },
    serve:
      (list, headers, status = 200) =>
      async (_request, response) => {
        const date = new Date(now() * 1000).toUTCString()
        const type = 'application/statuslist+jwt'
        const body = await list()
        response.writeHead(status, { 'content-type': type, date, ...headers }).end(body)
      },
    close: () => tokens.close(),
    [Symbol.dispose]: () => tokens.close(),
  }
  tokens.answer.discovery = (request, response) => {
    if (request.url?.startsWith('/.well-known')) return discovery(request, response)
    asked.push(String(request.url))
    return provider.answer(request, response)
  }
  return provider
}

/** Returns the verdict of a guard on a token, in a few words. */
export async function verdict(api: ResourceServer, token: string): Promise<string> {
  try {
    return (await api.authenticate(`Bearer ${token}`)).userId
  } catch (error) {
    if (error instanceof RequestRefused) return `${error.status} ${error.error}: ${error.message}`
    if (error instanceof StatusUnavailable) return `${error.status}`
    throw error
  }
}

export async function expectVerdict(
  api: ResourceServer,
  token: string,
  expected: string,
  what?: string,
): Promise<void> {
  expect(await verdict(api, token), what).to.equal(expected)
}

export const ENDED = '401 invalid_token: impersonation has ended'
