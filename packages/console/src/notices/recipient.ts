import type { Provider } from 'oidc-provider-impersonation'
import { findAccount } from 'oidc-provider-impersonation/siblings'
import { type AuditPerson, nonEmptyText, present } from 'oidc-provider-impersonation-verify/format'
import type { CustomerDirectory } from '../api/customer-directory.ts'
import type { Notice } from '../notice.ts'
import type { Language } from '../words/index.ts'

/**
 * Whom a notice goes to: as the directory names the customer now, else the account, else the audit.
 *
 * @throws Error where the directory or the provider fails: the attempt failed then
 */
export async function findRecipient(
  { id, ...known }: AuditPerson,
  provider: Provider,
  directory: Pick<CustomerDirectory, 'get'>,
  otherwise: Language,
): Promise<Notice['customer']> {
  const account = await findAccount(provider, id)
  const claims = await account?.claims('userinfo', 'openid profile email', {}, [])
  const customer = await directory.get(id)
  const { name, email } = customer ?? {
    name: nonEmptyText(claims?.name) ?? known.name,
    email: nonEmptyText(claims?.email) ?? known.email,
  }
  return { id, ...present({ name, email }), language: languageOf(claims?.locale) ?? otherwise }
}

/** Of a language tag, such as `de-AT`. */
function languageOf(locale: unknown): Language | undefined {
  const [tag] = typeof locale === 'string' ? locale.toLowerCase().split(/[-_]/) : []
  return tag === 'de' || tag === 'en' ? tag : undefined
}
