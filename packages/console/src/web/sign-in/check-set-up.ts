import { type Provider, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import type { Settings } from '../settings.ts'

/**
 * Finds out at the start whether operators can act: the pages' clients are there, `issueAs` can issue, and the
 * applications can exchange.
 *
 * @param pages what checks the clients of the pages
 * @throws TypeError with the path of the option, and what to do
 */
export async function checkSetUp(
  provider: Provider,
  { issueAs, applications }: Pick<Settings, 'applications' | 'issueAs'>,
  pages: readonly { readonly check: () => Promise<void> }[],
): Promise<void> {
  for (const { check } of pages) {
    await check().catch((error: unknown) => {
      const { cause } = Object(error)
      throw cause instanceof TypeError ? cause : error
    })
  }
  await expectGrant('options.issueAs', issueAs, 'client_credentials')
  for (const [index, { clientId }] of applications.entries()) {
    await expectGrant(
      `options.applications[${index}].clientId`,
      clientId,
      TOKEN_EXCHANGE_GRANT_TYPE,
    )
  }

  async function expectGrant(at: string, clientId: string, grant: string) {
    const client = await provider.Client.find(clientId)
    if (!client) throw new TypeError(`${at}: the provider has no client ${clientId}`)
    if (!client.grantTypeAllowed(grant)) {
      throw new TypeError(`${at}: the client ${clientId} lacks ${grant} in its grant_types`)
    }
  }
}
