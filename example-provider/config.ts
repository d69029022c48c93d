// The settings, from the environment: `npm start -- --help` lists them. They are read once.
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { DEMO_SECRETS, findDemo, findPublic } from './demo/secrets.ts'
import { StartError } from './start-error.ts'

export type Config = ReturnType<typeof readConfig>

function number(least: number, most: number) {
  const rule = `must be a number from ${least} to ${most}`
  const digits = z.string().regex(/^\d{1,9}$/, rule)
  return digits.transform(Number).pipe(z.number().min(least, rule).max(most, rule))
}

const ORIGIN_RULE =
  'must be an origin such as https://id.example.com: no path, query, user or password'
const origin = z
  .url({ protocol: /^https?$/, error: ORIGIN_RULE })
  .transform((value) => new URL(value))
  .refine(({ href, origin }) => href === `${origin}/`, ORIGIN_RULE)
  .transform((url) => url.origin)
const smtp = z.url({ protocol: /^smtps?$/, error: 'must be smtp://… or smtps://…' })
const webhook = z.url({ protocol: /^https?$/, error: 'must be https://…' })
const path = z.string().transform((value) => resolve(value))
// With a key that can be guessed, an attacker can forge a session.
const keys = z
  .string()
  .transform((value) => value.split(',').map((key) => key.trim()))
  .refine(
    (all) => all.every((key) => key.length >= 16),
    'must be one or more keys of at least 16 characters, separated by commas',
  )

const ENVIRONMENT_SHAPE = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: number(0, 65_535).default(3000),
  SHOP_PORT: number(0, 65_535).optional(),
  SHOP_URL: origin.optional(),
  BASE_URL: origin.optional(),
  STORAGE_URL: z.string().optional(),
  AUDIT_URL: z.string().optional(),
  DATA_DIR: path.default(join(import.meta.dirname, 'data')),
  JWKS_FILE: path.optional(),
  COOKIE_KEYS: keys.optional(),
  SUPPORT_BACKEND_SECRET: z.string().default(DEMO_SECRETS.SUPPORT_BACKEND_SECRET),
  SUPPORT_WEB_SECRET: z.string().default(DEMO_SECRETS.SUPPORT_WEB_SECRET),
  COPILOT_SECRET: z.string().default(DEMO_SECRETS.COPILOT_SECRET),
  DEMO_PASSWORD: z.string().default(DEMO_SECRETS.DEMO_PASSWORD),
  SMTP_URL: smtp.optional(),
  SLACK_WEBHOOK_URL: webhook.optional(),
  STRICT: z.enum(['0', '1'], 'must be 0 or 1').default('0'),
  // A mistyped value must not start a server with demo secrets.
  NODE_ENV: z
    .enum(['development', 'production', 'test'], 'must be development, production or test')
    .default('development'),
})

/** @throws StartError that names the variable */
export function readConfig(environment: Readonly<Record<string, string | undefined>>) {
  // An empty variable counts as absent.
  const given = Object.entries(environment).map(([name, value]) => [
    name,
    value?.trim() || undefined,
  ])
  const { data, error } = ENVIRONMENT_SHAPE.safeParse(Object.fromEntries(given))
  if (!data)
    throw new StartError(error.issues.map((issue) => `${issue.path} ${issue.message}`).join('\n'))
  const storage = parseStorageUrl(data.STORAGE_URL, data.DATA_DIR)
  const config = Object.freeze({
    host: data.HOST,
    /** 0 is a free one. */
    port: data.PORT,
    /** The shop has an origin of its own. */
    shopPort: data.SHOP_PORT ?? (data.PORT && data.PORT + 1) % 65_536,
    shopUrl: data.SHOP_URL,
    /** The origin of all public URLs; `undefined` until the port is known. */
    baseUrl: data.BASE_URL,
    storage,
    /** The storage of the audit: the same, unless that is Redis. */
    audit: parseAuditUrl(data.AUDIT_URL, storage),
    /** `true` for the file that the example makes in DATA_DIR. */
    isAuditOwn: data.STORAGE_URL === undefined,
    /** The folder for keys that are made at the first start, and for SQLite. */
    dataDir: data.DATA_DIR,
    jwksFile: data.JWKS_FILE,
    cookieKeys: data.COOKIE_KEYS,
    supportBackendSecret: data.SUPPORT_BACKEND_SECRET,
    supportWebSecret: data.SUPPORT_WEB_SECRET,
    copilotSecret: data.COPILOT_SECRET,
    /** The password of every account. */
    demoPassword: data.DEMO_PASSWORD,
    /** The server for mail to customers. */
    smtpUrl: data.SMTP_URL,
    /** The URL to which alarms and changes of permits are posted. */
    slackWebhookUrl: data.SLACK_WEBHOOK_URL,
    /** Applies the stricter rules of demo/strict.ts. */
    strict: data.STRICT === '1',
    /** The largest number of subject tokens per client in a minute, and of failed exchanges. */
    production: data.NODE_ENV === 'production',
  })
  const wrong = config.production ? findDemo(config) : findPublic(config)
  if (wrong.length === 0) return config
  const why = 'NODE_ENV=production does not start on demo secrets or self-made keys. Set'
  throw new StartError(config.production ? [why, ...wrong].join('\n  ') : wrong.join('\n'))
}

/** A storage of the provider, or of the audit. */
export interface StorageUrl {
  readonly kind: 'memory' | 'sqlite' | 'redis' | 'postgres'
  /** The address of Redis or PostgreSQL, the file of SQLite. */
  readonly url: string
  /** Names it, without user name, password and query. */
  readonly label: string
}

const KIND_BY_PROTOCOL: Readonly<Record<string, 'redis' | 'postgres'>> = {
  'redis:': 'redis',
  'rediss:': 'redis',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
}

/** The default is an SQLite file in the data folder. */
function parseStorageUrl(value: string | undefined, dataDir: string): StorageUrl {
  const storage = storageAt(value ?? `sqlite:${join(dataDir, 'provider.sqlite')}`)
  if (storage) return storage
  throw new StartError(
    'STORAGE_URL is not understood: it must be sqlite:<file>, redis://<host>, postgres://<user>:<password>@<host>/<database> or memory:, with every @, /, ?, # and % of a password percent-encoded (@ is %40, / is %2F)',
  )
}

/** The default is the storage of everything else, unless that is Redis. */
function parseAuditUrl(value: string | undefined, storage: StorageUrl): StorageUrl {
  if (storage.kind !== 'redis') {
    if (value === undefined) return storage
    throw new StartError(
      'AUDIT_URL is for STORAGE_URL=redis://… alone: any other storage keeps the audit, too',
    )
  }
  const audit = storageAt(value ?? '')
  if (audit?.kind === 'sqlite' || audit?.kind === 'postgres') return audit
  throw new StartError(
    'Redis does not keep the audit: AUDIT_URL must be postgres://<user>:<password>@<host>/<database>, with the password as in STORAGE_URL, or sqlite:<file> for a single copy',
  )
}

/** `undefined` where the value is not understood. */
function storageAt(value: string): StorageUrl | undefined {
  if (value === 'memory:') return { kind: 'memory', url: '', label: 'memory, forgotten at the end' }
  // One slash more or less makes a different path, and two slashes are ambiguous.
  const path = /^sqlite:(?!\/\/[^/])(.+)$/.exec(value)?.[1]
  if (path !== undefined) {
    const url = resolve(path)
    return { kind: 'sqlite', url, label: `SQLite, ${url}` }
  }
  const url = URL.parse(value)
  const kind = KIND_BY_PROTOCOL[url?.protocol ?? '']
  if (!kind || !url?.hostname) return undefined
  // A password with an unescaped / ends there: the rest of it, up to the @, would be a path.
  if (`${url.pathname}${url.search}${url.hash}`.includes('@')) return undefined
  return { kind, url: value, label: `${url.protocol}//${url.host}` }
}
