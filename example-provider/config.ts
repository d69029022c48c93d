// The settings, from the environment: `npm start -- --help` lists them. They are read once.
import { join } from 'node:path'
import { variablesOf } from '../hosting/environment.ts'
import { parseStorageUrl } from '../hosting/storage-url.ts'
import { DEMO, refuseDemo, refusePlain } from './demo/secrets.ts'

export type Config = ReturnType<typeof readConfig>

/** @throws StartError that names the variable */
export function readConfig(environment: Readonly<Record<string, string | undefined>>) {
  const { text, path, number, oneOf, origin, keys } = variablesOf(environment)
  const dataDir = path('DATA_DIR') ?? join(import.meta.dirname, 'data')
  const port = number('PORT', 3000, 0, 65_535)
  const config = Object.freeze({
    host: text('HOST') ?? '127.0.0.1',
    /** 0 is a free one. */
    port,
    /** The shop has an origin of its own. */
    shopPort: number('SHOP_PORT', (port && port + 1) % 65_536, 0, 65_535),
    shopUrl: origin('SHOP_URL'),
    /** The origin of all public URLs; `undefined` until the port is known. */
    baseUrl: origin('BASE_URL'),
    storage: parseStorageUrl(text('STORAGE_URL'), dataDir),
    /** The folder for keys that are made at the first start, and for SQLite. */
    dataDir,
    jwksFile: path('JWKS_FILE'),
    cookieKeys: keys('COOKIE_KEYS'),
    supportBackendSecret: text('SUPPORT_BACKEND_SECRET') ?? DEMO.SUPPORT_BACKEND_SECRET,
    supportWebSecret: text('SUPPORT_WEB_SECRET') ?? DEMO.SUPPORT_WEB_SECRET,
    /** The password of every account. */
    demoPassword: text('DEMO_PASSWORD') ?? DEMO.DEMO_PASSWORD,
    /** Whether the stricter rules of demo/strict.ts hold. */
    strict: oneOf('STRICT', '0', '1') === '1',
    /** The largest number of subject tokens per client in a minute, and of failed exchanges. */
    limitPerMinute: number('LIMIT_PER_MINUTE', 10_000, 1, 999_999_999),
    production: oneOf('NODE_ENV', 'development', 'production', 'test') === 'production',
  })
  if (config.production) refuseDemo(config)
  else refusePlain(config)
  return config
}
