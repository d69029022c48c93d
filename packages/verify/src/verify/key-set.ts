import type { JSONWebKeySet, JWK } from 'jose'

/** The keys of one source: an address or a file. */
export interface KeySource {
  readonly name: string
  readonly keys: readonly JWK[]
}

/** Two keys cannot be told apart. Nothing that they signed can be verified. */
export class AmbiguousKeys extends Error {
  override name = 'AmbiguousKeys'
}

/**
 * All keys, each once: the set that was kept at a rotation and the one that is published now share keys.
 *
 * @throws AmbiguousKeys where two different keys of the same type have the same `kid`
 */
export function keySetOf(sources: readonly KeySource[]): JSONWebKeySet {
  const found = new Map<string, { readonly key: JWK; readonly name: string; readonly id: string }>()
  for (const { name, keys } of sources) {
    for (const key of keys) {
      const [label, id] = [labelOf(key), publicPartOf(key)]
      const other = found.get(label)
      if (!other) found.set(label, { key, name, id })
      else if (other.id !== id && key.kid !== undefined) {
        throw new AmbiguousKeys(
          `two different keys have the kid ${JSON.stringify(key.kid)}, in ${other.name} and ${name}. Give the file of one of them.`,
        )
      }
    }
  }
  return { keys: [...found.values()].map(({ key }) => key) }
}

/** What a signature names a key by. A key without a `kid` is named by itself. */
function labelOf(key: JWK): string {
  const { kid, kty, crv } = key
  return JSON.stringify([kid ?? publicPartOf(key), kty, crv])
}

/** @see https://www.rfc-editor.org/rfc/rfc7638#section-3.2 */
function publicPartOf({ kty, crv, x, y, n, e, pub }: JWK): string {
  return JSON.stringify([kty, crv, x, y, n, e, pub])
}
