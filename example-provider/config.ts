import { join, resolve } from 'node:path'
import { checkProduction, DEMO } from './config-production.ts'
import { StartError } from './start-error.ts'
import { parseStorageUrl, type StorageUrl } from './storage/url.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The settings from the environment variables. They are read once. */
export interface Config {
  /** The address to listen on. */
  readonly host: string
  /** The port to listen on; 0 takes a free one. */
  readonly port: number
  /** The origin of all public URLs; `undefined` until the port is known. */
  readonly baseUrl: string | undefined
  /** The folder for keys and data. */
  readonly dataDir: string
  /** A file with the private signing keys. Without it, the example makes its own keys. */
  readonly jwksFile: string | undefined
  /** The keys that sign cookies, newest first. Without them, the example makes its own key. */
  readonly cookieKeys: readonly string[] | undefined
  readonly storage: StorageUrl
  readonly supportBackendSecret: string
  readonly supportWebSecret: string
  /** The password of every account. */
  readonly demoPassword: string
  /** Whether every exchange needs an operator who signed in recently, and a reason. */
  readonly strict: boolean
  /** The largest number of subject tokens per client in a minute, and of failed exchanges. */
  readonly limitPerMinute: number
  readonly production: boolean
}

/** A shorter key can be guessed. With the key, an attacker can forge a session. */
const COOKIE_KEY_LENGTH = 16

/**
 * Reads the configuration from the environment. An empty variable counts as absent.
 *
 * @throws StartError that names the variable.
 */
export function readConfig(environment: Environment): Config {
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined
  const dataDir = resolve(read('DATA_DIR') ?? join(import.meta.dirname, 'data'))
  const config: Config = Object.freeze({
    host: read('HOST') ?? '127.0.0.1',
    port: parsePort(read('PORT') ?? '3000'),
    baseUrl: parseBaseUrl(read('BASE_URL')),
    dataDir,
    jwksFile: resolved(read('JWKS_FILE')),
    cookieKeys: parseCookieKeys(read('COOKIE_KEYS')),
    storage: parseStorageUrl(read('STORAGE_URL'), dataDir),
    supportBackendSecret: read('SUPPORT_BACKEND_SECRET') ?? DEMO.SUPPORT_BACKEND_SECRET,
    supportWebSecret: read('SUPPORT_WEB_SECRET') ?? DEMO.SUPPORT_WEB_SECRET,
    demoPassword: read('DEMO_PASSWORD') ?? DEMO.DEMO_PASSWORD,
    strict: parseSwitch('STRICT', read('STRICT') ?? '0'),
    limitPerMinute: parseLimit(read('LIMIT_PER_MINUTE') ?? '10000'),
    production: parseMode(read('NODE_ENV') ?? 'development'),
  })
  if (config.production) checkProduction(config)
  return config
}

function parsePort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (port >= 0 && port <= 65535) return port
  throw new StartError(`PORT must be a number from 0 (any free port) to 65535, not '${value}'`)
}

function parseSwitch(name: string, value: string): boolean {
  if (value === '1' || value === '0') return value === '1'
  throw new StartError(`${name} must be 1 or 0, not '${value}'`)
}

/** A mistyped mode must not start the demonstration. */
function parseMode(value: string): boolean {
  if (['production', 'development', 'test'].includes(value)) return value === 'production'
  throw new StartError(`NODE_ENV must be production, development or test, not '${value}'`)
}

function parseLimit(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value)
  throw new StartError(`LIMIT_PER_MINUTE must be a number from 1, not '${value}'`)
}

function parseBaseUrl(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const url = URL.parse(value)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new StartError('BASE_URL must be an http or https URL such as https://id.example.com')
  }
  if (url.href !== `${url.origin}/`) {
    throw new StartError('BASE_URL must be an origin, without path, query, user or password')
  }
  return url.origin
}

function parseCookieKeys(value: string | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined
  const keys = value.split(',').map((key) => key.trim())
  if (keys.every((key) => key.length >= COOKIE_KEY_LENGTH)) return Object.freeze(keys)
  throw new StartError(
    `COOKIE_KEYS must be one or more keys of at least ${COOKIE_KEY_LENGTH} characters, separated by commas`,
  )
}

function resolved(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path)
}
