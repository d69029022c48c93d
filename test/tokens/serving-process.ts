import { inflateSync } from 'node:zlib'
import { decodeJwt, type JWTPayload } from 'jose'
import { Provider } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { type StatusLists, statusListSigner, statusLists } from '../../src/status-list/sign.ts'
import { signingKey } from '../support/deployment.ts'
import { ISSUER, Store, settled } from './remembering-store.ts'

/** Appendix "Test vectors", 1 bit: 2^20 statuses. */
export const LONG = [
  0, 1993, 25460, 159495, 495669, 554353, 645645, 723232, 854545, 934534, 1000345,
]
export type Claims = JWTPayload & {
  ttl: number
  status_list: { bits: number; lst: string; aggregation_uri: string }
}

export const provider = new Provider(ISSUER, {
  adapter: createMemoryAdapter(),
  jwks: { keys: [signingKey] as never },
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  features: { devInteractions: { enabled: false } },
})

/** A process that draws and serves, and a list with an ended token at each index. */
export async function servingProcess() {
  const signer = statusListSigner(provider)
  if (!signer) throw new Error('the provider has no key')
  const store = new Store()
  const signed = { count: 0 }
  const indices = store.process()
  const lists = statusLists({
    issuer: ISSUER,
    adapter: store.adapter,
    indices,
    sign: (claims) => {
      signed.count += 1
      return signer(claims)
    },
    now: () => store.time,
  })
  const { list } = await indices.draw()
  await settled()
  return { store, lists, list, signed, indices }
}

export async function endedAt(
  store: Store,
  list: string,
  indices: readonly number[],
): Promise<void> {
  for (const index of indices) {
    await store.issue(`${list}-${index}`, list, index)
    await store.end(`${list}-${index}`)
  }
}

export async function tokenOf(lists: StatusLists, list: string): Promise<string> {
  const signed = await lists.find(list)
  if (!signed) throw new Error('there is no such list')
  return signed.token
}

export function setBits(lst: string): number[] {
  const bytes = inflateSync(Buffer.from(lst, 'base64url'))
  return [...bytes].flatMap((byte, at) =>
    [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => byte & (1 << bit)).map((bit) => at * 8 + bit),
  )
}

export async function bitsOf(lists: StatusLists, list: string): Promise<number[]> {
  return setBits(decodeJwt<Claims>(await tokenOf(lists, list)).status_list.lst)
}
