import { join, resolve } from 'node:path'
import { StartError } from './start-error.ts'

/** The storage of the provider. The label never contains a password, so it may be printed. */
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
 * Reads `STORAGE_URL`. The default is an SQLite file in the data folder.
 *
 * @throws StartError that lists the valid forms and does not repeat a possible password.
 */
export function parseStorageUrl(value: string | undefined, dataDir: string): StorageUrl {
  if (value === undefined) return sqlite(join(dataDir, 'provider.sqlite'))
  if (value === 'memory:') {
    return Object.freeze({ kind: 'memory', label: 'memory, forgotten at the end' })
  }
  // One slash more or less makes a different path, and two slashes are ambiguous.
  const file = /^sqlite:(?!\/\/[^/])(.+)$/.exec(value)?.[1]
  if (file !== undefined) return sqlite(resolve(file))

  const url = hasOneMeaning(value) ? URL.parse(value) : null
  const kind = url && KINDS.get(url.protocol)
  if (kind && url.hostname) {
    return Object.freeze({ kind, url: value, label: `${url.protocol}//${url.host}${url.pathname}` })
  }
  throw new StartError(
    'STORAGE_URL is not understood: it must be sqlite:<file>, redis://<host>, postgres://<user>:<password>@<host>/<database> or memory:, with every @, /, ?, # and % of a password percent-encoded (@ is %40, / is %2F)',
  )
}

/**
 * Whether all parsers find the same host. If the password contains an unescaped @ or /, a parser
 * may take a part of the password for the host or the path, connect to it and print it.
 */
function hasOneMeaning(value: string): boolean {
  const [, authority, rest = ''] = /^[a-z]+:\/\/([^/?#\\]*)(.*)$/is.exec(value) ?? []
  return authority !== undefined && authority.split('@').length <= 2 && !rest.includes('@')
}

function sqlite(file: string): StorageUrl {
  return Object.freeze({ kind: 'sqlite', file, label: `SQLite, ${file}` })
}
