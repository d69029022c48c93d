import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose'
import { readOrCreate } from './key-file.ts'
import { StartError } from './start-error.ts'

/** A private key for ES256. */
export interface SigningKey {
  readonly [member: string]: unknown
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
  readonly d: string
}

/** Where the keys come from. Several copies of a provider need the same. */
export interface KeySettings {
  /** A file with the private signing keys. */
  readonly jwksFile: string | undefined
  /** The keys that sign cookies, newest first. */
  readonly cookieKeys: readonly string[] | undefined
  /** The folder in which keys are made that are not given. */
  readonly dataDir: string
}

/** The keys of the provider. */
export interface Keys {
  readonly signing: readonly SigningKey[]
  readonly cookies: readonly string[]
}

const SIGNING_KEYS_FILE = 'signing-keys.json'
const COOKIE_KEYS_FILE = 'cookie-keys.json'

/**
 * Returns the given keys, or keys made at the first start and kept in the data folder.
 *
 * @throws StartError that names the variable or file.
 */
export async function loadKeys(config: KeySettings): Promise<Keys> {
  return { signing: await loadSigningKeys(config), cookies: await loadCookieKeys(config) }
}

async function loadSigningKeys({ jwksFile, dataDir }: KeySettings): Promise<readonly SigningKey[]> {
  if (jwksFile === undefined) {
    const text = await readOrCreate(dataDir, SIGNING_KEYS_FILE, makeSigningKeys)
    return parseSigningKeys(text, join(dataDir, SIGNING_KEYS_FILE))
  }
  try {
    return await parseSigningKeys(await readFile(jwksFile, 'utf8'), `JWKS_FILE '${jwksFile}'`)
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    const reason = cause instanceof Error ? cause.message : cause
    throw new StartError(`JWKS_FILE cannot be read: ${reason}`, { cause })
  }
}

async function loadCookieKeys({ cookieKeys, dataDir }: KeySettings): Promise<readonly string[]> {
  if (cookieKeys) return cookieKeys
  const keys = parseJson(await readOrCreate(dataDir, COOKIE_KEYS_FILE, makeCookieKeys))
  if (Array.isArray(keys) && keys.length > 0 && keys.every((key) => typeof key === 'string')) {
    return keys
  }
  throw unusable(join(dataDir, COOKIE_KEYS_FILE), 'is not a list of keys')
}

async function makeSigningKeys(): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  return JSON.stringify({ keys: [{ ...jwk, kid, alg: 'ES256', use: 'sig' }] })
}

async function makeCookieKeys(): Promise<string> {
  return JSON.stringify([randomBytes(32).toString('base64url')])
}

async function parseSigningKeys(text: string, source: string): Promise<readonly SigningKey[]> {
  const set = parseJson(text)
  const keys = isObject(set) ? set.keys : undefined
  if (!Array.isArray(keys) || keys.length === 0) {
    throw unusable(source, 'is not a JSON Web Key Set with at least one key')
  }
  return Promise.all(
    keys.map(async (key: unknown) => {
      if (isSigningKey(key) && (await canSign(key))) return key
      throw unusable(source, 'must hold private EC keys on the curve P-256 (for ES256), only')
    }),
  )
}

function isSigningKey(key: unknown): key is SigningKey {
  return (
    isObject(key) &&
    key.kty === 'EC' &&
    key.crv === 'P-256' &&
    ['x', 'y', 'd'].every((member) => typeof key[member] === 'string') &&
    (key.alg === undefined || key.alg === 'ES256') &&
    (key.use === undefined || key.use === 'sig')
  )
}

async function canSign(key: SigningKey): Promise<boolean> {
  try {
    await importJWK(key, 'ES256')
    return true
  } catch {
    return false
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function unusable(source: string, reason: string): StartError {
  return new StartError(`${source} ${reason}`)
}
