// The keys that sign tokens and cookies: those that are given, or keys that are made at the first start
// and kept in DATA_DIR. Several copies of a provider need the same.
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose'
import { z } from 'zod'
import type { Config } from './config.ts'
import { StartError, unusable } from './start-error.ts'

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
const SIGNING_KEYS = z
  .object({ keys: z.array(SIGNING_KEY).min(1) })
  .describe('a JSON Web Key Set of private EC keys on the curve P-256 (for ES256), only')
const COOKIE_KEYS = z.array(z.string()).min(1).describe('a list of keys')

/** The keys of the provider. */
export interface Keys {
  readonly signing: z.infer<typeof SIGNING_KEYS>['keys']
  readonly cookies: readonly string[]
}

type KeySettings = Pick<Config, 'cookieKeys' | 'dataDir' | 'jwksFile'>

/** @throws StartError that names the variable or the file */
export async function loadKeys({ jwksFile, cookieKeys, dataDir }: KeySettings): Promise<Keys> {
  const { keys } = jwksFile
    ? await parse(SIGNING_KEYS, `JWKS_FILE '${jwksFile}'`, readFile(jwksFile, 'utf8'))
    : await keep(SIGNING_KEYS, join(dataDir, 'signing-keys.json'), makeSigningKeys)
  const cookies =
    cookieKeys ??
    (await keep(COOKIE_KEYS, join(dataDir, 'cookie-keys.json'), () => [
      randomBytes(32).toString('base64url'),
    ]))
  return { signing: keys, cookies }
}

async function makeSigningKeys(): Promise<object> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  return { keys: [{ ...jwk, kid, alg: 'ES256', use: 'sig' }] }
}

/** Reads a file of the data folder, or makes it. Only its owner can read it. */
async function keep<T>(shape: z.ZodType<T>, path: string, make: () => unknown): Promise<T> {
  const text = readFile(path, 'utf8').catch(async (error) => {
    if (error.code !== 'ENOENT') throw error
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, JSON.stringify(await make()), { flag: 'wx', mode: 0o600 })
    return readFile(path, 'utf8')
  })
  return parse(shape, `DATA_DIR, ${path}`, text)
}

async function parse<T>(shape: z.ZodType<T>, name: string, text: Promise<string>): Promise<T> {
  const { data } = await shape.safeParseAsync(parseJson(await text.catch(unusable(name))))
  if (data) return data
  throw new StartError(`${name} must be ${shape.description}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
