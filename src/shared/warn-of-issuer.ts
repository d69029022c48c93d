import { isSafe } from './safe-url.ts'
import { issuerUri, STATUS_LISTS_PATH } from './status-uris.ts'
import { warn } from './warn.ts'

const TIMEOUT_MS = 1000

/**
 * Warns of what is certainly wrong with the address of the provider: tokens that go to another machine
 * in the clear, another document than its discovery document, and status lists that a proxy keeps back.
 * No answer says nothing, since the server may start later.
 *
 * @param servesLists whether the provider serves status lists
 */
export async function warnOfIssuer(
  issuer: string,
  { servesLists }: { readonly servesLists: boolean },
): Promise<void> {
  if (!isSafe(new URL(issuer))) {
    warn(
      'ISSUER_NOT_HTTPS',
      `the issuer ${issuer} is not https: tokens and keys go to other machines in the clear`,
    )
  }
  const url = issuerUri(issuer, '/.well-known/openid-configuration')
  const discovery = await loadJson(url)
  if (!discovery) return
  if (discovery.body.issuer !== issuer) {
    return warn(
      'DISCOVERY_NOT_SERVED',
      `${url} answers ${discovery.status}, and not with the discovery document of this provider; mount the provider at the path of its issuer`,
    )
  }
  if (!servesLists) return
  const listsUrl = issuerUri(issuer, STATUS_LISTS_PATH)
  const lists = await loadJson(listsUrl)
  if (!lists || Array.isArray(lists.body.status_lists)) return
  warn(
    'STATUS_LISTS_NOT_SERVED',
    `${listsUrl} answers ${lists.status}, and not with the status lists of this provider; let the proxy pass on every path below the issuer, or APIs refuse impersonated tokens with 503`,
  )
}

/** `undefined` where nothing answers, or something that is in trouble. */
async function loadJson(
  url: string,
): Promise<{ status: number; body: Readonly<Record<string, unknown>> } | undefined> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => {})
  if (!response || response.status >= 500) return undefined
  const body: unknown = await response.json().catch(() => {})
  return { status: response.status, body: body instanceof Object ? { ...body } : {} }
}
