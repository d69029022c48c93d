import { isLoopback } from '../loopback.ts'
import { StartError } from '../start-error.ts'

/** Public secrets, for the demonstration only. */
export const DEMO_SECRETS = Object.freeze({
  SUPPORT_BACKEND_SECRET: 'support-backend-secret',
  SUPPORT_WEB_SECRET: 'support-web-secret',
  COPILOT_SECRET: 'copilot-secret',
  DEMO_PASSWORD: 'demo-password',
})

/** The settings that are checked here. */
export interface Guarded {
  readonly baseUrl: string | undefined
  readonly shopUrl: string | undefined
  readonly jwksFile: string | undefined
  readonly cookieKeys: readonly string[] | undefined
  readonly supportBackendSecret: string
  readonly supportWebSecret: string
  readonly copilotSecret: string
  readonly demoPassword: string
}

/** The password of all accounts, if it is the public one: pages and commands may then show it. */
export function publicPassword({
  demoPassword,
}: Pick<Guarded, 'demoPassword'>): string | undefined {
  return demoPassword === DEMO_SECRETS.DEMO_PASSWORD ? demoPassword : undefined
}

const KNOWN_SECRETS: ReadonlySet<string> = new Set(Object.values(DEMO_SECRETS))

/** The smallest length of a secret, and the smallest number of different characters in it. */
const MIN_SECRET_LENGTH = 16
const MIN_DIFFERENT_CHARACTERS = 6

/**
 * With NODE_ENV=production, no setting may keep its demo value, and no secret may be easy to guess.
 *
 * @throws StartError that names every variable that is not set.
 */
export function refuseDemo(config: Guarded): void {
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

function secretsOf(config: Guarded): ReadonlyArray<readonly [name: string, secret: string]> {
  return [
    ...(config.cookieKeys ?? []).map((key) => ['COOKIE_KEYS', key] as const),
    ['SUPPORT_BACKEND_SECRET', config.supportBackendSecret],
    ['SUPPORT_WEB_SECRET', config.supportWebSecret],
    ['COPILOT_SECRET', config.copilotSecret],
    ['DEMO_PASSWORD', config.demoPassword],
  ]
}

function wrongSecrets(secrets: ReturnType<typeof secretsOf>): string[] {
  const owners = new Map<string, string>()
  return secrets.flatMap(([name, secret]) => {
    if (KNOWN_SECRETS.has(secret)) return [`${name}: a secret of your own`]
    const owner = owners.get(secret)
    if (owner !== undefined) return [`${name}: another secret than that of ${owner}`]
    owners.set(secret, name)
    return secret.length >= MIN_SECRET_LENGTH && new Set(secret).size >= MIN_DIFFERENT_CHARACTERS
      ? []
      : [
          `${name}: a random secret of at least ${MIN_SECRET_LENGTH} characters (openssl rand -hex 32)`,
        ]
  })
}

function* wrongUrls(config: Guarded): Generator<string> {
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

function* plainUrls({ baseUrl, shopUrl }: Guarded): Generator<string> {
  // Access tokens of customers and of operators are in the pages.
  for (const [name, url] of Object.entries({ BASE_URL: baseUrl, SHOP_URL: shopUrl })) {
    if (url !== undefined && isPlain(url))
      yield `${name}: an https URL; http is for localhost alone`
  }
}

/**
 * Also without NODE_ENV=production, tokens do not go over plain http, and what others can reach has no
 * public secret.
 *
 * @throws StartError that names the variables
 */
export function refusePublic(config: Guarded): void {
  const { baseUrl } = config
  const wrong = [...plainUrls(config)]
  if (baseUrl !== undefined && !isLoopback(new URL(baseUrl).hostname)) {
    for (const [name, secret] of secretsOf(config)) {
      if (KNOWN_SECRETS.has(secret)) {
        wrong.push(`${name}: a secret of your own; the demo secrets are for localhost alone`)
      }
    }
  }
  if (wrong.length > 0) throw new StartError(wrong.join('\n'))
}

/** Without TLS, only addresses of this machine are allowed. */
function isPlain(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol !== 'https:' && !isLoopback(hostname)
}
