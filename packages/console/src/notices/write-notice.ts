import { hash } from 'node:crypto'
import type { Provider } from 'oidc-provider-impersonation'
import { present } from 'oidc-provider-impersonation-verify/format'
import { whatWasDone } from '../api/account/done.ts'
import { applicationName, canChange } from '../api/applications.ts'
import type { CustomerDirectory } from '../api/customer-directory.ts'
import type { AuditStore } from '../audit/store.ts'
import type { Notice } from '../notice.ts'
import { inLanguage, type Settings } from '../settings.ts'
import type { Facts } from './facts.ts'
import { writeMessage } from './message.ts'
import { asLine } from './plain.ts'
import { findRecipient } from './recipient.ts'

export interface NoticeParts {
  readonly provider: Provider
  readonly settings: Settings
  readonly store: Pick<AuditStore, 'timeline'>
  readonly directory: Pick<CustomerDirectory, 'get'>
}

/**
 * Writes a notice. Its id follows from what it tells: it is the same in every process, and each time.
 *
 * @throws Error where it cannot be told now
 */
export async function writeNotice(
  facts: Facts,
  { provider, settings, store, directory }: NoticeParts,
): Promise<Notice> {
  const { account, notices, url, languages, ticketPattern } = settings
  if (!account || !notices) throw new Error('customers are not told')
  const { customer, operator, isBySupport, done, identity, scope, ticket, ...rest } = facts
  const recipient = await findRecipient(customer, provider, directory, languages)
  const { language } = recipient
  const { applications } = inLanguage(settings, language)
  const words = languages.wordsIn(language)
  const team = words.account.support
  const by = notices.by === 'name' ? (operator?.name ?? team) : notices.by
  // A ticket that no pattern limits is what an operator typed.
  const isTicket = ticket !== undefined && ticketPattern?.whole.test(ticket) === true
  const notice = {
    ...rest,
    url: `${url}${account.path}`,
    ...present({
      by: isBySupport ? asLine(by) : undefined,
      application: applicationName(applications, facts.application),
      ticket: isTicket ? ticket : undefined,
    }),
  }
  const message = writeMessage(
    {
      ...{ ...notice, name: recipient.name },
      canChange: canChange(applications, facts.application, scope),
      done: done && (await whatWasDone(store, done, account.describe, language)),
    },
    { language, words, timeZone: notices.timeZone },
  )
  return {
    id: hash('sha256', JSON.stringify(['notice', facts.kind, ...identity]), 'base64url'),
    ...{ customer: recipient, ...notice, ...message },
  }
}
