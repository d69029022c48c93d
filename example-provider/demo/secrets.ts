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

/** Returns whether the `hostname` of a URL is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)
}

const KNOWN_SECRETS: ReadonlySet<string> = new Set(Object.values(DEMO_SECRETS))

/** The smallest length of a secret, and the smallest number of different characters in it. */
const MIN_SECRET_LENGTH = 16
const MIN_DIFFERENT_CHARACTERS = 6

/**
 * Without NODE_ENV=production: tokens do not go over plain http, and what others can reach has no
 * public secret.
 *
 * @returns a line for each variable that is wrong, with the way out
 */
export function findPublic(config: Guarded): readonly string[] {
  const { baseUrl } = config
  const isPublic = baseUrl !== undefined && !isLoopback(new URL(baseUrl).hostname)
  const known = isPublic ? secretsOf(config).filter(([, secret]) => KNOWN_SECRETS.has(secret)) : []
  return [
    ...findPlainUrls(config),
    ...known.map(
      ([name]) => `${name}: a secret of your own; the demo secrets are for localhost alone`,
    ),
  ]
}

/**
 * With NODE_ENV=production: no setting has its demo value, and no secret can be guessed.
 *
 * @returns a line for each variable that is wrong, with the way out
 */
export function findDemo(config: Guarded): readonly string[] {
  const { baseUrl, shopUrl, jwksFile, cookieKeys } = config
  const missing: string[] = []
  if (!baseUrl) {
    missing.push(
      'BASE_URL: the origin under which everything is reached, such as https://id.example.com',
    )
  }
  if (!shopUrl) {
    missing.push(
      'SHOP_URL: the origin of the shop, where operators act, such as https://shop.example.com',
    )
  } else if (shopUrl === baseUrl) missing.push('SHOP_URL: another origin than BASE_URL')
  if (!jwksFile) {
    missing.push('JWKS_FILE: a file with the private ES256 signing keys, as a JSON Web Key Set')
  }
  if (!cookieKeys) missing.push('COOKIE_KEYS: random keys to sign cookies with')
  return [...missing, ...findPlainUrls(config), ...findWeakSecrets(secretsOf(config))]
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

function findWeakSecrets(secrets: ReturnType<typeof secretsOf>): string[] {
  const owners = new Map<string, string>()
  return secrets.flatMap(([name, secret]) => {
    if (KNOWN_SECRETS.has(secret)) return [`${name}: a secret of your own`]
    const owner = owners.get(secret)
    if (owner !== undefined) return [`${name}: another secret than that of ${owner}`]
    owners.set(secret, name)
    if (secret.length >= MIN_SECRET_LENGTH && new Set(secret).size >= MIN_DIFFERENT_CHARACTERS)
      return []
    const rule = `a random secret of at least ${MIN_SECRET_LENGTH} characters`
    return [`${name}: ${rule} (openssl rand -hex 32)`]
  })
}

/** Access tokens of customers and of operators are in the pages. */
function findPlainUrls({ baseUrl, shopUrl }: Guarded): string[] {
  return Object.entries({ BASE_URL: baseUrl, SHOP_URL: shopUrl })
    .filter(([, url]) => {
      const { protocol, hostname } = new URL(url ?? 'https://example.com')
      return protocol !== 'https:' && !isLoopback(hostname)
    })
    .map(([name]) => `${name}: an https URL; http is for localhost alone`)
}
