import { join, resolve } from 'node:path'
import { StartError } from '../start-error.ts'

/** Where the provider's data is kept. The label may be shown: it never has a password in it. */
export type StorageUrl =
  | { readonly kind: 'memory'; readonly label: string }
  | { readonly kind: 'sqlite'; readonly label: string; readonly file: string }
  | { readonly kind: 'redis'; readonly label: string; readonly url: string }
  | { readonly kind: 'postgres'; readonly label: string; readonly url: string }

const KINDS: ReadonlyMap<string, 'redis' | 'postgres'> = new Map([
  ['redis:', 'redis'],
  ['rediss:', 'redis'],
  ['postgres:', 'postgres'],
  ['postgresql:', 'postgres'],
])

/**
 * Reads `STORAGE_URL`; without one, it is an SQLite file in the data folder.
 *
 * @throws StartError which says what is understood, without repeating what may hold a password.
 */
export function parseStorageUrl(value: string | undefined, dataDir: string): StorageUrl {
  if (value === undefined) return sqlite(join(dataDir, 'provider.sqlite'))
  if (value === 'memory:') {
    return Object.freeze({ kind: 'memory', label: 'memory, forgotten at the end' })
  }
  // One slash more or less makes another path of it, and two say nothing clear.
  const file = /^sqlite:(?!\/\/[^/])(.+)$/.exec(value)?.[1]
  if (file !== undefined) return sqlite(resolve(file))

  const url = URL.parse(value)
  const kind = url && KINDS.get(url.protocol)
  if (kind && url.hostname) {
    return Object.freeze({ kind, url: value, label: `${url.protocol}//${url.host}${url.pathname}` })
  }
  throw new StartError(
    'STORAGE_URL is not understood: it must be sqlite:<file>, redis://<host>, postgres://<user>:<password>@<host>/<database> or memory:',
  )
}

function sqlite(file: string): StorageUrl {
  return Object.freeze({ kind: 'sqlite', file, label: `SQLite, ${file}` })
}
