import { join, resolve } from 'node:path'
import { concealing, type Printable } from './concealing.ts'
import { StartError } from './start-error.ts'

/** A storage of the provider, or of the audit. */
export interface StorageUrl extends Printable {
  readonly kind: 'memory' | 'sqlite' | 'redis' | 'postgres'
  /** The address of Redis or PostgreSQL, the file of SQLite. */
  readonly url: string
}

const KIND_BY_PROTOCOL: ReadonlyMap<string, 'redis' | 'postgres'> = new Map([
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
  const storage = storageAt(value)
  if (storage) return storage
  throw new StartError(
    'STORAGE_URL is not understood: it must be sqlite:<file>, redis://<host>, postgres://<user>:<password>@<host>/<database> or memory:, with every @, /, ?, # and % of a password percent-encoded (@ is %40, / is %2F)',
  )
}

/**
 * Reads `AUDIT_URL`: where the audit is kept. The default is the storage of everything else, unless
 * that is Redis.
 *
 * @throws StartError that lists the valid forms and does not repeat a possible password.
 */
export function parseAuditUrl(value: string | undefined, storage: StorageUrl): StorageUrl {
  if (storage.kind !== 'redis') {
    if (value === undefined) return storage
    throw new StartError(
      'AUDIT_URL is for STORAGE_URL=redis://… alone: any other storage keeps the audit, too',
    )
  }
  const audit = value === undefined ? undefined : storageAt(value)
  if (audit?.kind === 'sqlite' || audit?.kind === 'postgres') return audit
  throw new StartError(
    'Redis does not keep the audit: AUDIT_URL must be postgres://<user>:<password>@<host>/<database>, with the password as in STORAGE_URL, or sqlite:<file> for a single copy',
  )
}

/** `undefined` where the value is not understood. */
function storageAt(value: string): StorageUrl | undefined {
  if (value === 'memory:') {
    return { kind: 'memory', url: '', label: 'memory, forgotten at the end', conceal }
  }
  // One slash more or less makes a different path, and two slashes are ambiguous.
  const file = /^sqlite:(?!\/\/[^/])(.+)$/.exec(value)?.[1]
  if (file !== undefined) return sqlite(resolve(file))

  const url = hasOneMeaning(value) ? URL.parse(value) : null
  const kind = url && KIND_BY_PROTOCOL.get(url.protocol)
  if (!kind || !url.hostname) return undefined
  return { kind, url: value, label: `${url.protocol}//${url.host}`, conceal: concealing(url) }
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
  return { kind: 'sqlite', url: file, label: `SQLite, ${file}`, conceal }
}

/** Nothing of a file or of the memory can be secret. */
const conceal = (message: string) => message
