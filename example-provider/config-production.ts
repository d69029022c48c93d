import type { Config } from './config.ts'
import { StartError } from './start-error.ts'

/** Secrets that everybody knows. */
export const DEMO = Object.freeze({
  SUPPORT_BACKEND_SECRET: 'support-backend-secret',
  SUPPORT_WEB_SECRET: 'support-web-secret',
  DEMO_PASSWORD: 'demo-password',
})

const KNOWN: ReadonlySet<string> = new Set(Object.values(DEMO))

/**
 * With NODE_ENV=production nothing may be left as it comes out of the box.
 *
 * @throws StartError naming every variable that is still to be set.
 */
export function checkProduction(config: Config): void {
  const missing: string[] = []
  if (!config.jwksFile) {
    missing.push('JWKS_FILE: a file with the private ES256 signing keys, as a JSON Web Key Set')
  }
  if (!config.cookieKeys) missing.push('COOKIE_KEYS: random keys to sign cookies with')
  const secrets: Record<keyof typeof DEMO, string> = {
    SUPPORT_BACKEND_SECRET: config.supportBackendSecret,
    SUPPORT_WEB_SECRET: config.supportWebSecret,
    DEMO_PASSWORD: config.demoPassword,
  }
  for (const [name, value] of Object.entries(secrets)) {
    if (KNOWN.has(value)) missing.push(`${name}: a secret of your own`)
  }
  if (missing.length === 0) return
  throw new StartError(
    `NODE_ENV=production does not start on demo secrets or self-made keys. Set\n${missing
      .map((line) => `  ${line}`)
      .join('\n')}`,
  )
}
