import { hash } from 'node:crypto'
import type { Provider } from 'oidc-provider-impersonation'
import { findAccount } from 'oidc-provider-impersonation/siblings'
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
  type AccountImpersonation,
  allowedIn,
  type CardInWords,
  cardInWords,
  describeTicket,
} from '../../../web/account-card.ts'
import { applicationName, canChange } from '../../../web/applications.ts'
import type { CustomerDirectory } from '../../../web/customer-directory.ts'
import { whatWasDone } from '../../../web/done.ts'
import type { Settings } from '../../../web/settings.ts'
import { isTicket } from '../../../web/ticket.ts'
import type { Languages } from '../../../web/words/languages.ts'
import { lookUp } from '../../../web/words/look-up.ts'
import type { Words } from '../../../web/words/words.ts'
import { countedIn, writeMessage } from './message.ts'
import type { Notice, NoticeSettings } from './notice.ts'
import { asLine } from './plain.ts'

export interface NoticeParts {
  readonly provider: Provider
  readonly settings: Settings
  readonly notices: NoticeSettings
  readonly store: Pick<AuditStore, 'timeline'>
  readonly directory: Pick<CustomerDirectory, 'get'>
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number
}

/** What is told: a ticket, with all that started for it, or a permit. */
export type ToldOf =
  | { readonly kind: 'ended' | 'started'; readonly rows: readonly AuditRow[] }
  | { readonly kind: NoticeKind; readonly permit: AnswerRecord | PermitRecord }

/** What a notice has of a ticket or a permit. */
type About = Pick<
  Notice,
  | 'application'
  | 'at'
  | 'endedAt'
  | 'expiresAt'
  | 'impersonations'
  | 'permit'
  | 'startedAt'
  | 'ticket'
  | 'unapproved'
> & {
  /** Absent where the customer did it. */
  readonly operators?: readonly AuditPerson[]
  readonly card: CardInWords
}

/** @throws Error where it cannot be told now */
export async function writeNotice(id: string, told: ToldOf, parts: NoticeParts): Promise<Notice> {
  const { provider, settings, notices, directory } = parts
  const { account, brand, url, languages } = settings
  if (!account) throw new Error('customers are not told')
  const { kind } = told
  const subject = 'rows' in told ? told.rows[0] : told.permit
  const recipient = await findRecipient(
    subject?.customer ?? { id: '' },
    provider,
    directory,
    languages,
  )
  const { language } = recipient
  const reader = { language, words: languages.wordsIn(language), timeZone: notices.timeZone, brand }
  const { card, operators, ...about } =
    'rows' in told
      ? await aboutTicket(told.rows, reader, parts)
      : aboutPermit(told.kind, told.permit, reader, parts)
  const team = reader.words.account.support
  const names = [...new Set(operators?.map(({ name = team }) => name))].join(', ')
  const by = operators && asLine(notices.by === 'name' ? names : notices.by)
  const link = `${url}${account.path}`
  return {
    id,
    kind,
    thread: threadOf(told),
    customer: recipient,
    url: link,
    ...about,
    ...present({ by }),
    ...writeMessage({ kind, by, name: recipient.name, url: link, card }, reader),
  }
}

interface InLanguage {
  readonly language: string
  readonly words: Words
}

async function aboutTicket(
  rows: readonly AuditRow[],
  { language, words }: InLanguage,
  { settings, store, now }: NoticeParts,
): Promise<About> {
  const [first, ...others] = rows
  if (!first) throw new TypeError('a ticket has a start')
  const done = await whatWasDone(store, rows, settings.account?.describe, language)
  const { ticket, ...described } = describeTicket([first, ...others], done, {
    language,
    now,
    settings,
  })
  const shown: AccountImpersonation = { ...described, ...ticketIn(ticket, settings) }
  const { application, at, startedAt = at, endedAt, expiresAt, unapproved } = shown
  return {
    impersonations: rows.map(({ id }) => id),
    at: endedAt ?? startedAt,
    startedAt,
    ...present({ application, endedAt, expiresAt, unapproved, ticket: shown.ticket }),
    operators: rows.map(({ operator }) => operator ?? { id: '' }),
    card: cardInWords(shown, words, (sentence, count) => countedIn(sentence, count, language)),
  }
}

function aboutPermit(
  kind: NoticeKind,
  permit: AnswerRecord | PermitRecord,
  { language, words: { notices: words, account } }: InLanguage,
  { settings }: NoticeParts,
): About {
  const { id, requestedAt: at } = permit
  const nothing = { warnings: [], did: [], counts: [], nothing: undefined }
  if (!isPermit(permit)) {
    return { permit: id, at, card: { ...nothing, facts: [[words.since, at]] } }
  }
  const { applications } = settings
  const expiresAt = kind === 'asked' ? permit.lapsesAt : permit.until
  const application = applicationName(applications, permit.application, language)
  const { unapproved } = unapprovedBy(permit)
  const mayChange = canChange(applications, permit.application, permit.scope)
  const { ticket } = ticketIn(permit.ticket, settings)
  return {
    permit: id,
    at,
    operators: [permit.operator],
    ...present({ application, expiresAt, unapproved, ticket }),
    card: {
      ...nothing,
      facts: [
        [kind === 'asked' ? account.askedAt : words.since, at],
        [kind === 'asked' ? words.answerUntil : words.until, expiresAt],
        [account.ticket, ticket],
        [account.application, application],
        [account.could, mayChange === undefined ? undefined : allowedIn(account, mayChange)],
      ],
      warnings: unapproved ? [account.unapproved[unapproved]] : [],
    },
  }
}

/** A ticket that no pattern limits is what an operator typed. */
function ticketIn(ticket: string | undefined, settings: Settings) {
  return ticket !== undefined && isTicket(ticket, settings.ticket) ? { ticket } : {}
}

/** By the customer and the ticket alone: who reads it learns of no person whom the notice does not name. */
function threadOf(told: ToldOf): string {
  const subject = 'rows' in told ? told.rows[0] : told.permit
  const ticket = subject && 'ticket' in subject ? subject.ticket : undefined
  const parts = ticket === undefined ? [subject?.id] : [subject?.customer?.id, ticketKey(ticket)]
  return hash('sha256', JSON.stringify(['thread', ...parts]), 'base64url')
}

/**
 * Whom a notice goes to: as the directory names the customer now, else the account, else the audit.
 *
 * @throws Error where the directory or the provider fails: the attempt failed then
 */
async function findRecipient(
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
