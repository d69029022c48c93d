import { decodeBase64Url, parseClaims } from './claims.ts'
import { FETCH_OPTIONS } from './token-request.ts'
import { parseUrl } from './url.ts'

const TIMEOUT_MS = 2000

/** Where the status of a token stands: draft-ietf-oauth-status-list-21, section 6.2. */
export interface StatusReference {
  readonly uri: string
  readonly idx: number
}

/** What may stand in a token, and in a list. */
interface StatusClaims {
  readonly status?: { readonly status_list?: { readonly uri?: unknown; readonly idx?: unknown } }
  readonly status_list?: { readonly bits?: unknown; readonly lst?: unknown }
}

/** The claim `status` of a token; `undefined` where it has none that can be read here. */
export function statusReference(
  { status }: StatusClaims,
  issuer: URL,
): StatusReference | undefined {
  const { uri, idx } = status?.status_list ?? {}
  if (typeof uri !== 'string' || typeof idx !== 'number') return undefined
  // As the guard of APIs: a list is under the issuer.
  return parseUrl(uri)?.href.startsWith(issuer.href) ? { uri, idx } : undefined
}

/**
 * Whether the provider has to be asked: the bit of a token is set. Nothing is sent but the address of the list. Its signature is not
 * verified: a bit makes the page ask the provider, and nothing else.
 *
 * @throws where the list cannot be had or read
 */
export async function isBitSet(
  { uri, idx }: StatusReference,
  fetch: typeof globalThis.fetch,
): Promise<boolean> {
  const response = await fetch(uri, {
    ...FETCH_OPTIONS,
    headers: { accept: 'application/statuslist+jwt' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const { status_list: list }: StatusClaims = parseClaims(await response.text())
  const bits = Number(list?.bits)
  // Firefox before 113 and Safari before 16.4 lack this: the caller asks the provider.
  const inflated = new Blob([decodeBase64Url(String(list?.lst))])
    .stream()
    .pipeThrough(new DecompressionStream('deflate'))
  const bytes = new Uint8Array(await new Response(inflated).arrayBuffer())
  const byte = bytes[Math.floor((idx * bits) / 8)]
  // Of a list that is too short, the provider knows more, too.
  return byte === undefined || ((byte >> ((idx * bits) % 8)) & (2 ** bits - 1)) !== 0
}
