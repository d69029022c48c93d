import { parseClaims } from './claims.ts'
import { parseUrl } from './url.ts'

const TIMEOUT_MS = 2000

/** Where the status of a token stands: draft-ietf-oauth-status-list-21, section 6.2. */
export interface StatusReference {
  readonly uri: string
  readonly idx: number
}

/** The claim `status` of a token; `undefined` where it has none that can be read here. */
export function statusReference(claims: unknown, issuer: URL): StatusReference | undefined {
  const { uri, idx } = memberOf(memberOf(claims, 'status'), 'status_list') as Record<
    string,
    unknown
  >
  if (typeof uri !== 'string' || typeof idx !== 'number') return undefined
  // As the guard of APIs: a list is under the issuer.
  return parseUrl(uri)?.href.startsWith(issuer.href) ? { uri, idx } : undefined
}

/**
 * Whether the bit of a token is set. Nothing is sent but the address of the list. Its signature is not
 * verified: a bit makes the page ask the provider, and nothing else.
 *
 * @throws where the list cannot be had or read
 */
export async function isBitSet(
  { uri, idx }: StatusReference,
  fetch: typeof globalThis.fetch,
): Promise<boolean> {
  const response = await fetch(uri, {
    headers: { accept: 'application/statuslist+jwt' },
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok) throw new Error(`the status list answers ${response.status}`)
  const list = memberOf(parseClaims(await response.text()), 'status_list')
  const packed = atob(String(memberOf(list, 'lst')).replace(/-/g, '+').replace(/_/g, '/'))
  const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0))
  const bits = Number(memberOf(list, 'bits'))
  const byte = await byteAt(bytes, Math.floor((idx * bits) / 8))
  return ((byte >> ((idx * bits) % 8)) & (2 ** bits - 1)) !== 0
}

/** One byte of a compressed list. What comes after it is not inflated. */
async function byteAt(compressed: Uint8Array<ArrayBuffer>, position: number): Promise<number> {
  // Firefox before 113 and Safari before 16.4 lack this: the caller asks the provider.
  const inflated = new Blob([compressed]).stream().pipeThrough(new DecompressionStream('deflate'))
  const reader = inflated.getReader()
  for (let start = 0; ; ) {
    const { value, done } = await reader.read()
    if (done) throw new Error('the status list is too short')
    const byte = value[position - start]
    if (byte !== undefined) {
      void reader.cancel().catch(() => {})
      return byte
    }
    start += value.length
  }
}

function memberOf(value: unknown, name: string): unknown {
  return value instanceof Object ? Reflect.get(value, name) : {}
}
