import type { Provider } from 'oidc-provider-impersonation'
import { findAccount } from 'oidc-provider-impersonation/siblings'
import { digestOf } from 'oidc-provider-impersonation-verify/chain'
import {
  type AnswerRecord,
  type AuditPerson,
  type AuditRow,
  isPermit,
  type NoticeKind,
  nonEmptyText,
  type PermitRecord,
  present,
  ticketKey,
  unapprovedBy,
} from 'oidc-provider-impersonation-verify/format'
import type { AuditStore } from '../../../ledger/store.ts'
import {
  allowedIn,
  type CardInWords,
  cardInWords,
  describeTicket,
} from '../../../web/account-card.ts'
import { applicationName, canChange } from '../../../web/applications.ts'
import type { CustomerDirectory } from '../../../web/customer-directory.ts'
import { whatWasDone } from '../../../web/done.ts'
import { namedBy } from '../../../web/person-names.ts'
import type { Settings } from '../../../web/settings.ts'
import { isTicket } from '../../../web/ticket.ts'
import { lookUp } from '../../../web/words/look-up.ts'
import { writeMessage } from './layout.ts'
import type { Reader } from './message.ts'
import type { Notice, NoticeSettings } from './notice.ts'
import { asLine, plain } from './plain.ts'
import type { TicketRows } from './ticket.ts'

export interface NoticeParts {
  readonly provider: Provider
  readonly settings: Settings
  readonly notices: NoticeSettings
  readonly store: AuditStore
  readonly directory: Pick<CustomerDirectory, 'get'>
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number
}

/** The subject of a notice: a ticket, with all that started for it, or a permit. */
export type ToldOf =
  | { readonly kind: 'ended' | 'started'; readonly rows: TicketRows }
  | { readonly kind: NoticeKind; readonly permit: AnswerRecord | PermitRecord }

/** @throws Error where it cannot be told now */
export async function writeNotice(id: string, told: ToldOf, parts: NoticeParts): Promise<Notice> {
  const { settings, notices } = parts
  const { account, brand, languages } = settings
  if (!account) throw new Error('customers are not told')
  const { kind } = told
  const subject = 'rows' in told ? told.rows[0] : told.permit
  const customer = await findRecipient(subject.customer ?? { id: '' }, parts)
  const { language, name } = customer
  const reader: Reader = {
    words: languages.wordsIn(language),
    language,
    locale: language === 'en' ? 'en-GB' : language,
    timeZone: notices.timeZone,
    brand,
  }
  const { card, operators, ...about } =
    'rows' in told
      ? await aboutTicket(told.rows, reader, parts)
      : aboutPermit(told.kind, told.permit, reader, settings)
  const team = reader.words.account.support
  const names = [...new Set(operators?.map(({ name = team }) => name))].join(', ')
  const by = operators && asLine(notices.by === 'name' ? names : notices.by)
  const url = `${settings.url}${account.path}`
  return {
    id,
    kind,
    thread: threadOf(subject),
    customer,
    url,
    ...about,
    ...present({ by }),
    ...writeMessage({ kind, by, name, url, card }, reader),
  }
}

async function aboutTicket(
  rows: TicketRows,
  reader: Reader,
  { settings, store, now }: NoticeParts,
) {
  const { language } = reader
  const done = await whatWasDone(store, rows, settings.account?.describe, language)
  const described = describeTicket(rows, done, { language, now, settings })
  const shown = { ...described, ticket: ticketIn(described.ticket, settings) }
  const { application, at, startedAt = at, endedAt, expiresAt, unapproved } = shown
  return {
    impersonations: rows.map(({ id }) => id),
    at: endedAt ?? startedAt,
    startedAt,
    ...present({ application, endedAt, expiresAt, unapproved, ticket: shown.ticket }),
    operators: rows.map(({ operator }) => operator ?? { id: '' }),
    card: cardInWords(shown, reader, plain),
  }
}

/** Without operators where the customer did it. */
function aboutPermit(
  kind: NoticeKind,
  permit: AnswerRecord | PermitRecord,
  { language, words: { notices: words, account } }: Reader,
  settings: Settings,
) {
  const { id, requestedAt: at } = permit
  const nothing = { warnings: [], done: [] }
  if (!isPermit(permit)) {
    const facts: CardInWords['facts'] = [[words.since, at]]
    return { permit: id, at, operators: undefined, card: { ...nothing, facts } }
  }
  const { applications } = settings
  const expiresAt = kind === 'asked' ? permit.lapsesAt : permit.until
  const application = applicationName(applications, permit.application, language)
  const { unapproved } = unapprovedBy(permit)
  const mayChange = canChange(applications, permit.application, permit.scope)
  const ticket = ticketIn(permit.ticket, settings)
  const facts: CardInWords['facts'] = [
    [kind === 'asked' ? account.askedAt : words.since, at],
    [kind === 'asked' ? words.answerUntil : words.until, expiresAt],
    [account.ticket, ticket],
    [account.application, application],
    [account.could, allowedIn(account, mayChange)],
  ]
  return {
    permit: id,
    at,
    operators: [permit.operator],
    ...present({ application, expiresAt, unapproved, ticket }),
    card: { ...nothing, facts, warnings: unapproved ? [account.unapproved[unapproved]] : [] },
  }
}

/** A ticket that no pattern limits is what an operator typed. */
function ticketIn(ticket = '', settings: Settings): string | undefined {
  return isTicket(ticket, settings.ticket) ? ticket : undefined
}

/** By the customer and the ticket alone: who reads it learns of no person whom the notice does not name. */
function threadOf({ id, customer, ...subject }: AuditRow | AnswerRecord | PermitRecord): string {
  const parts = subject.ticket === undefined ? [id] : [customer?.id, ticketKey(subject.ticket)]
  return digestOf(JSON.stringify(['thread', ...parts]))
}

/**
 * Finds the customer: as the directory names them now, else the account, else the audit.
 *
 * @throws Error where the directory or the provider fails: the attempt failed then
 */
async function findRecipient(
  { id, ...known }: AuditPerson,
  { provider, directory, settings: { languages } }: NoticeParts,
): Promise<Notice['customer']> {
  const { tags, preferred } = languages
  const account = await findAccount(provider, id)
  const claims = await account?.claims('userinfo', 'openid profile email', {}, [])
  const customer = await directory.get(id, preferred)
  const { name, email } = customer ?? { ...known, ...(claims && namedBy(claims)) }
  // Some directories write `de_AT`.
  const locale = nonEmptyText(claims?.locale)?.replaceAll('_', '-')
  const language = lookUp(locale ?? '', tags) ?? preferred
  return { id, ...present({ name: nonEmptyText(name && asLine(name)), email }), language }
}
