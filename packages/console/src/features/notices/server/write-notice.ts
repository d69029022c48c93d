import { hash } from 'node:crypto'
import type { Provider } from 'oidc-provider-impersonation'
import { present } from 'oidc-provider-impersonation-verify/format'
import { PERMITS_PER_READ } from '../../../ledger/filters.ts'
import { allReadable } from '../../../ledger/readable.ts'
import type { AuditStore } from '../../../ledger/store.ts'
import { applicationName, canChange } from '../../../web/applications.ts'
import type { CustomerDirectory } from '../../../web/customer-directory.ts'
import { whatWasDone } from '../../../web/done.ts'
import type { Settings } from '../../../web/settings.ts'
import type { NoticeFacts } from './facts.ts'
import { writeMessage } from './message.ts'
import type { Notice, NoticeSettings } from './notice.ts'
import { asLine } from './plain.ts'
import { findRecipient } from './recipient.ts'

export interface NoticeParts {
  readonly provider: Provider
  readonly settings: Settings
  readonly notices: NoticeSettings
  readonly store: Pick<AuditStore, 'find' | 'permits' | 'timeline'>
  readonly directory: Pick<CustomerDirectory, 'get'>
}

/**
 * Writes a notice. Its id follows from what it tells: it is the same in every process, and each time.
 *
 * @throws Error where it cannot be told now
 */
export async function writeNotice(
  facts: NoticeFacts,
  { provider, settings, notices, store, directory }: NoticeParts,
): Promise<Notice> {
  const { account, applications, brand, url, languages, ticketPattern } = settings
  if (!account) throw new Error('customers are not told')
  const { customer, operator, isBySupport, done, identity, access, ticket, ...rest } = facts
  const recipient = await findRecipient(customer, provider, directory, languages)
  const { language } = recipient
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
      application: namesOf(access, applications, language),
      ticket: isTicket ? ticket : undefined,
    }),
  }
  const message = writeMessage(
    {
      ...{ ...notice, name: recipient.name },
      canChange: mayChange(access, applications),
      times: done?.length ?? 1,
      done: done && (await whatWasDone(store, done, account.describe, language)),
    },
    { language, words, brand, timeZone: notices.timeZone },
  )
  return {
    id: idOf('notice', facts.kind, ...identity),
    thread: await threadOf(facts, store),
    ...{ customer: recipient, ...notice, ...message },
  }
}

function idOf(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url')
}

/** By a random id, and not by the people: who reads it learns nothing of a person whom the notice does not name. */
async function threadOf(
  { customer, operator, ticket, identity }: NoticeFacts,
  store: NoticeParts['store'],
): Promise<string> {
  if (!operator || ticket === undefined) return idOf('thread', ...identity)
  const pair = { customer: customer.id, operator: operator.id }
  const [{ rows }, { permits }] = await Promise.all([
    store.find({ ...pair, ticket }, { limit: 1, now: 0, oldestFirst: true }),
    store.permits(pair, { limit: PERMITS_PER_READ }),
  ])
  const asked = allReadable(permits).findLast((each) => 'ticket' in each && each.ticket === ticket)
  const [row] = rows
  const first = asked && (!row || asked.requestedAt < row.at) ? asked : row
  return idOf('thread', first?.id ?? identity.join())
}

type Applications = Settings['applications']

function namesOf(access: NoticeFacts['access'], applications: Applications, language: string) {
  const names = access.flatMap(
    ({ application }) => applicationName(applications, application, language) ?? [],
  )
  return names.length === 0 ? undefined : [...new Set(names)].join(', ')
}

/** `undefined` where nothing is known of it. */
function mayChange(access: NoticeFacts['access'], applications: Applications) {
  const all = access.flatMap(
    ({ application, scope }) => canChange(applications, application, scope) ?? [],
  )
  return all.length === 0 ? undefined : all.includes(true)
}
