import type { Provider } from 'oidc-provider-impersonation'
import { findAccount } from 'oidc-provider-impersonation/siblings'
import { type AuditPerson, nonEmptyText, present } from 'oidc-provider-impersonation-verify/format'
import type { CustomerDirectory } from '../../../web/customer-directory.ts'
import type { Languages } from '../../../web/words/languages.ts'
import { lookUp } from '../../../web/words/look-up.ts'
import type { Notice } from './notice.ts'
import { asLine } from './plain.ts'

/**
 * Whom a notice goes to: as the directory names the customer now, else the account, else the audit.
 *
 * @throws Error where the directory or the provider fails: the attempt failed then
 */
export async function findRecipient(
  { id, ...known }: AuditPerson,
  provider: Provider,
  directory: Pick<CustomerDirectory, 'get'>,
  { tags, preferred }: Languages,
): Promise<Notice['customer']> {
  const account = await findAccount(provider, id)
  const claims = await account?.claims('userinfo', 'openid profile email', {}, [])
  const customer = await directory.get(id, preferred)
  const { name, email } = customer ?? {
    name: nonEmptyText(claims?.name) ?? known.name,
    email: nonEmptyText(claims?.email) ?? known.email,
  }
  // Some directories write `de_AT`.
  const locale = nonEmptyText(claims?.locale)?.replaceAll('_', '-')
  const language = lookUp(locale ?? '', tags) ?? preferred
  return { id, ...present({ name: nonEmptyText(name && asLine(name)), email }), language }
}
