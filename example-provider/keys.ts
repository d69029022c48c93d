import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose'
import { z } from 'zod'
import { StartError, unusable } from './start-error.ts'

/** Where the keys come from. Several copies of a provider need the same. */
export interface KeySettings {
  /** A file with the private signing keys. */
  readonly jwksFile: string | undefined
  /** The keys that sign cookies, newest first. */
  readonly cookieKeys: readonly string[] | undefined
  /** The folder in which keys are made that are not given. */
  readonly dataDir: string
}

const SIGNING_KEY = z
  .looseObject({
    kty: z.literal('EC'),
    crv: z.literal('P-256'),
    x: z.string(),
    y: z.string(),
    d: z.string(),
    alg: z.literal('ES256').exactOptional(),
    use: z.literal('sig').exactOptional(),
  })
  .refine((key) => importJWK(key, 'ES256').then(Boolean, () => false))
const SIGNING_KEYS = z.object({ keys: z.array(SIGNING_KEY).min(1) })
const COOKIE_KEYS = z.array(z.string()).min(1)

/** The keys of the provider. */
export interface Keys {
  readonly signing: z.infer<typeof SIGNING_KEYS>['keys']
  readonly cookies: readonly string[]
}

/**
 * Returns the given keys, or keys made at the first start and kept in the data folder.
 *
 * @throws StartError that names the variable or file
 */
export async function loadKeys(settings: KeySettings): Promise<Keys> {
  return { signing: await loadSigningKeys(settings), cookies: await loadCookieKeys(settings) }
}

async function loadSigningKeys({ jwksFile, dataDir }: KeySettings): Promise<Keys['signing']> {
  const path = jwksFile ?? join(dataDir, 'signing-keys.json')
  const name = jwksFile ? `JWKS_FILE '${path}'` : path
  const text = jwksFile
    ? await readFile(path, 'utf8').catch(unusable(name))
    : await readOrCreate(dataDir, path, makeSigningKeys)
  const { data } = await SIGNING_KEYS.safeParseAsync(parseJson(text))
  if (data) return data.keys
  throw new StartError(
    `${name} must be a JSON Web Key Set of private EC keys on the curve P-256 (for ES256), only`,
  )
}

async function makeSigningKeys(): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  return JSON.stringify({ keys: [{ ...jwk, kid, alg: 'ES256', use: 'sig' }] })
}

async function loadCookieKeys({ cookieKeys, dataDir }: KeySettings): Promise<readonly string[]> {
  if (cookieKeys) return cookieKeys
  const path = join(dataDir, 'cookie-keys.json')
  const make = () => JSON.stringify([randomBytes(32).toString('base64url')])
  const { data } = COOKIE_KEYS.safeParse(parseJson(await readOrCreate(dataDir, path, make)))
  if (data) return data
  throw new StartError(`${path} is not a list of keys`)
}

/**
 * Reads a secret file of the data folder, or creates it. Only its owner can read it.
 *
 * Several copies may start at once. Each writes its own complete file and links it to the common
 * name. Only the first link succeeds, and all copies read that file.
 */
async function readOrCreate(
  folder: string,
  path: string,
  create: () => string | Promise<string>,
): Promise<string> {
  const draft = `${path}.${randomUUID()}`
  try {
    const existing = await readFile(path, 'utf8').catch(ignore('ENOENT'))
    if (existing !== undefined) return existing
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(draft, await create(), { flag: 'wx', mode: 0o600, flush: true })
    await link(draft, path).catch(ignore('EEXIST'))
    await rm(draft)
    return await readFile(path, 'utf8')
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => {})
    return unusable(`DATA_DIR '${folder}'`)(cause)
  }
}

function ignore(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof Error && 'code' in error && error.code === code)) throw error
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
