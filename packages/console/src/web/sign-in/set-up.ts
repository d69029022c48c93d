import { type Provider, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { orUnavailable, Problem } from '../http/problem.ts'
import type { Settings } from '../settings.ts'

/** A page of this package, and the client that it signs people in with. */
export interface PageClient {
  /** The option: `options.clientId`. */
  readonly at: string
  readonly clientId: string
  readonly redirectUri: string
  /** The function that makes the metadata. */
  readonly make: string
}

/**
 * Finds out whether the provider knows the client of a page. Storage of the provider may have it, so
 * this is asked at the first use, and no more once it is known.
 *
 * @returns a function that throws Problem 500 if the client is unknown, and 503 if that cannot be
 * known now
 */
export function knownClient(provider: Provider, page: PageClient): () => Promise<void> {
  let isKnown = false
  return async () => {
    if (isKnown) return
    const wrong = await findWrong(provider, page)
    if (wrong !== undefined) {
      throw new Problem(500, 'server_error', 'the page is not set up: see the log', {
        cause: new TypeError(wrong),
      })
    }
    isKnown = true
  }
}

async function findWrong(
  provider: Provider,
  { at, clientId, redirectUri, make }: PageClient,
): Promise<string | undefined> {
  const client = await orUnavailable('the client of this page cannot be looked up now', () =>
    provider.Client.find(clientId),
  )
  const add = `add ${make}({ url, … }) to the clients of the provider`
  if (!client) return `${at}: the provider has no client ${clientId}: ${add}`
  if (client.clientAuthMethod !== 'none') {
    return `${at}: the client ${clientId} has a secret, which a page cannot keep: ${add}`
  }
  if (!client.redirectUris?.includes(redirectUri)) {
    return `${at}: the client ${clientId} has no redirect URI ${redirectUri}: ${add}`
  }
  return undefined
}

/**
 * Finds out at the start whether operators can act: the pages' clients are there, `issueAs` can issue, and the
 * applications can exchange.
 *
 * @throws TypeError with the path of the option, and what to do
 */
export async function checkSetUp(
  provider: Provider,
  { issueAs, applications }: Pick<Settings, 'applications' | 'issueAs'>,
  pages: readonly PageClient[],
): Promise<void> {
  for (const page of pages) {
    const wrong = await findWrong(provider, page)
    if (wrong !== undefined) throw new TypeError(wrong)
  }
  await expectGrant('options.issueAs', issueAs, 'client_credentials')
  for (const [index, { clientId }] of applications.entries()) {
    const at = `options.applications[${index}].clientId`
    await expectGrant(at, clientId, TOKEN_EXCHANGE_GRANT_TYPE)
  }

  async function expectGrant(at: string, clientId: string, grant: string) {
    const client = await provider.Client.find(clientId)
    if (!client) throw new TypeError(`${at}: the provider has no client ${clientId}`)
    if (!client.grantTypeAllowed(grant)) {
      throw new TypeError(`${at}: the client ${clientId} lacks ${grant} in its grant_types`)
    }
  }
}
