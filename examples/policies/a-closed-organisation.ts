import type { Authorize, Provider } from 'oidc-provider-impersonation'

/** Your records of organisations. */
const organisations = new Map([
  ['acme', { isOpenToSupport: true, members: ['alice'] }],
  ['kestrel', { isOpenToSupport: true, members: ['bob'] }],
])
const findOrganisation = async (accountId: string) =>
  [...organisations.values()].find(({ members }) => members.includes(accountId))

export const openOrganisations: Authorize = async ({ account }) =>
  (await findOrganisation(account.accountId))?.isOpenToSupport === true

export async function closeToSupport(provider: Provider, organisation: string): Promise<void> {
  const found = organisations.get(organisation)
  if (!found) return
  found.isOpenToSupport = false
  for (const userId of found.members) {
    await provider.impersonation.endAll({ userId }, { cause: 'policy' })
  }
}
