import { athOf, dpopKey } from '../../../../test/support/dpop.ts'
import {
  AUDIENCE,
  startTokenIssuer,
  type TokenIssuer,
} from '../../../../test/support/token-issuer.ts'
import { type DPoPOptions, resourceServer } from '../../src/index.ts'

/** The URL at which clients reach the API, and the URL that a proof for its orders names. */
export const BASE = 'https://api.example.com'
export const HTU = `${BASE}/orders`

type Shown = {
  url?: string
  method?: string
  authorization?: string | string[]
  dpop?: string | string[] | undefined
}

export type BoundClient = Awaited<ReturnType<typeof boundClient>>

/** A guarded API, and a client with a token that is bound to its key. */
export async function boundClient(issuer?: TokenIssuer) {
  const tokens = issuer ?? (await startTokenIssuer())
  const key = await dpopKey()
  const bound = await tokens.token({ cnf: { jkt: key.thumbprint } })
  const proof = (claims?: Record<string, unknown>) =>
    key.proof({ htm: 'GET', htu: HTU, ath: athOf(bound), ...claims })
  const request = ({ url = '/orders', method = 'GET', ...headers }: Shown) => ({
    url,
    method,
    headers: { authorization: `DPoP ${bound}`, ...headers },
  })
  return {
    tokens,
    key,
    bound,
    [Symbol.dispose]: () => tokens.close(),
    guardWith: (dPoP: DPoPOptions) =>
      resourceServer({ issuer: tokens.issuer, audience: AUDIENCE, dPoP }),
    /** A proof for `GET /orders` with the bound token. */
    proof,
    /** `GET /orders` with the bound token. */
    request,
    /** The same with its proof. */
    proven: async (claims?: Record<string, unknown>) => request({ dpop: await proof(claims) }),
  }
}
