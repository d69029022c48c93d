import { isLoopback } from '../../hosting/loopback.ts'
import { StartError } from '../../hosting/start-error.ts'
import type { Config } from '../config.ts'

/** Public secrets, for the demonstration only. */
export const DEMO = Object.freeze({
  SUPPORT_BACKEND_SECRET: 'support-backend-secret',
  SUPPORT_WEB_SECRET: 'support-web-secret',
  DEMO_PASSWORD: 'demo-password',
})

/** The password of all accounts, if it is the public one: pages and commands may then show it. */
export function publicPassword({ demoPassword }: Config): string | undefined {
  return demoPassword === DEMO.DEMO_PASSWORD ? demoPassword : undefined
}

const KNOWN: ReadonlySet<string> = new Set(Object.values(DEMO))

/** The smallest length of a secret, and the smallest number of different characters in it. */
const LENGTH = 16
const DIFFERENT = 6

/**
 * With NODE_ENV=production, no setting may keep its demo value, and no secret may be easy to guess.
 *
 * @throws StartError that names every variable that is not set.
 */
export function refuseDemo(config: Config): void {
  const missing = [...wrongUrls(config)]
  if (!config.jwksFile) {
    missing.push('JWKS_FILE: a file with the private ES256 signing keys, as a JSON Web Key Set')
  }
  if (!config.cookieKeys) missing.push('COOKIE_KEYS: random keys to sign cookies with')
  missing.push(...wrongSecrets(secretsOf(config)))
  if (missing.length === 0) return
  throw new StartError(
    `NODE_ENV=production does not start on demo secrets or self-made keys. Set\n${missing
      .map((line) => `  ${line}`)
      .join('\n')}`,
  )
}

function secretsOf(config: Config): ReadonlyArray<readonly [name: string, secret: string]> {
  return [
    ...(config.cookieKeys ?? []).map((key) => ['COOKIE_KEYS', key] as const),
    ['SUPPORT_BACKEND_SECRET', config.supportBackendSecret],
    ['SUPPORT_WEB_SECRET', config.supportWebSecret],
    ['DEMO_PASSWORD', config.demoPassword],
  ]
}

function wrongSecrets(secrets: ReturnType<typeof secretsOf>): string[] {
  const owners = new Map<string, string>()
  return secrets.flatMap(([name, secret]) => {
    if (KNOWN.has(secret)) return [`${name}: a secret of your own`]
    const owner = owners.get(secret)
    if (owner !== undefined) return [`${name}: another secret than that of ${owner}`]
    owners.set(secret, name)
    return secret.length >= LENGTH && new Set(secret).size >= DIFFERENT
      ? []
      : [`${name}: a random secret of at least ${LENGTH} characters (openssl rand -hex 32)`]
  })
}

function* wrongUrls(config: Config): Generator<string> {
  const { baseUrl, shopUrl } = config
  if (baseUrl === undefined) {
    yield 'BASE_URL: the origin under which everything is reached, such as https://id.example.com'
  }
  if (shopUrl === undefined) {
    yield 'SHOP_URL: the origin of the shop, where operators act, such as https://shop.example.com'
  }
  yield* plainUrls(config)
  if (shopUrl !== undefined && shopUrl === baseUrl) yield 'SHOP_URL: another origin than BASE_URL'
}

function* plainUrls({ baseUrl, shopUrl }: Config): Generator<string> {
  // Access tokens of customers and of operators are in the pages.
  for (const [name, url] of Object.entries({ BASE_URL: baseUrl, SHOP_URL: shopUrl })) {
    if (url !== undefined && isPlain(url))
      yield `${name}: an https URL; http is for localhost alone`
  }
}

/**
 * Tokens do not go over plain http, also without NODE_ENV=production.
 *
 * @throws StartError that names the variables
 */
export function refusePlain(config: Config): void {
  const plain = [...plainUrls(config)]
  if (plain.length > 0) throw new StartError(plain.join('\n'))
}

/** Without TLS, only addresses of this machine are allowed. */
function isPlain(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol !== 'https:' && !isLoopback(hostname)
}
