import type { Provider } from 'oidc-provider-impersonation'
import {
  aFunction,
  group,
  integer,
  list,
  objectWith,
  oneOf,
  optionalGroup,
  resolve,
  someOf,
  text,
} from 'oidc-provider-impersonation/siblings'
import { NOTICE_KINDS } from 'oidc-provider-impersonation-verify/format'
import { noticeSettings, senderRule } from './features/notices/server/mail.ts'
import type { MailTransport, NoticesOptions } from './features/notices/server/notice.ts'
import type { ConsolePermits } from './features/permits/server/permits.ts'
import {
  namesRule,
  originRule,
  pageRule,
  pathRule,
  patternRule,
  secondsRule,
  timeZoneRule,
  wordsRule,
} from './kernel/option-rules.ts'
import type { AuditStore } from './ledger/store.ts'
import type { SupportConsoleOptions } from './options.ts'
import { assertReadable } from './web/brand.ts'
import { BRAND_RULES } from './web/brand-rules.ts'
import type { Customers } from './web/customer-directory.ts'
import type { Settings } from './web/settings.ts'
import type { MayErase, RoleOf } from './web/sign-in/roles.ts'
import { isTicket, type TicketOptions } from './web/ticket.ts'
import type { UseInWords } from './web/use-words.ts'
import { createLanguages } from './web/words/languages.ts'
import { lookUp } from './web/words/look-up.ts'

/** The options of an application. */
export const APPLICATION_RULES = {
  name: text.required('how the console names the application'),
  names: namesRule,
  url: pageRule.required('the page that accepts the impersonation'),
  clientId: text.required('the client of the application'),
  resource: text.required('the resource indicator of its API'),
  scopes: group({ read: text.required('the scope to look at data'), change: text }),
  handOver: oneOf(['fragment', 'form']).or('fragment'),
}

/** The options of `supportConsole()`. */
export const CONSOLE_RULES = {
  clientId: text.required('the public client of the console'),
  issueAs: text.required('a client that managementApi.clients names for issue'),
  role: aFunction<RoleOf>().required('(account) => role or undefined'),
  mayErase: aFunction<MayErase>(),
  customers: objectWith<Customers>('search', 'get').required('search(text, page) and get(id)'),
  applications: list(
    group(APPLICATION_RULES),
    'applications: { name, url, clientId, resource, scopes }',
    1,
  ).required('where operators can act: a list of { name, url, clientId, resource, scopes }'),
  audit: objectWith<AuditStore>('open', 'write', 'find').required(
    'an audit, such as createSqliteAudit() of oidc-provider-impersonation-console/audit/sqlite',
  ),
  path: pathRule.or('/console'),
  url: originRule,
  /** In seconds. */
  durations: list(integer(1, 86_400), 'seconds, whole numbers, or absent for no choice', 1).or([]),
  ticket: group({
    pattern: patternRule,
    example: text,
    url: aFunction<NonNullable<TicketOptions['url']>>(),
  }),
  account: optionalGroup({
    clientId: text.required('the public client of the page'),
    path: pathRule.or('/account'),
    describe: aFunction<UseInWords>(),
  }),
  permits: objectWith<ConsolePermits>('wrap', 'attach', 'request'),
  brand: optionalGroup(BRAND_RULES),
  notices: optionalGroup({
    send: aFunction<NonNullable<NoticesOptions['send']>>(),
    transport: objectWith<MailTransport>('sendMail'),
    from: senderRule,
    when: someOf(NOTICE_KINDS).or(NOTICE_KINDS),
    atOnce: integer(1, 1000).or(16),
    /** In seconds. */
    digest: integer(0, 86_400).or(600),
    by: text.or('name'),
    timeZone: timeZoneRule.or('UTC'),
  }),
  onAlarm: aFunction<NonNullable<SupportConsoleOptions['onAlarm']>>(),
  /** In seconds. */
  auditTimeout: secondsRule(3).or(2),
  language: text.or('en'),
  words: wordsRule,
}

const OPTION_PATH = 'options'

/**
 * Reads the options, those of every feature and those of single ones.
 *
 * @throws TypeError with the dotted path of the first option that is unknown or wrong
 */
export function settingsOf(provider: Provider, options: SupportConsoleOptions) {
  checkProvider(provider)
  const { url, language, words, brand, notices, ...settings } = resolve(
    CONSOLE_RULES,
    options,
    OPTION_PATH,
  )
  const { origin, pathname } = new URL(provider.issuer)
  const { account, audit, permits, ticket } = settings
  refuseIf(
    notices !== undefined && account === undefined,
    'notices needs options.account: a notice links to that page',
  )
  refuseIf(
    permits !== undefined && permits.audit !== audit,
    'permits must be made with the audit of options.audit: give one object to createPermits({ audit }) and to supportConsole(provider, { audit, permits })',
  )
  checkPaths(settings.path, account?.path, pathname)
  settings.applications.forEach(({ clientId }, index, all) => {
    refuseIf(
      all.findIndex((other) => other.clientId === clientId) !== index,
      `applications[${index}].clientId is ${clientId} again: each application has a client of its own`,
    )
  })
  const languages = createLanguages(words ?? {}, language, (message) =>
    process.emitWarning(`${OPTION_PATH}.words: ${message}`, {
      type: 'ImpersonationWarning',
      code: 'WORDS_INCOMPLETE',
    }),
  )
  checkLanguages(settings, languages)
  if (brand?.color) assertReadable(brand.color, `${OPTION_PATH}.brand`)
  refuseIf(
    ticket.example !== undefined && isTicket(ticket.example, ticket) === false,
    'ticket.example must match options.ticket.pattern',
  )
  return Object.freeze({
    ...settings,
    languages,
    brand,
    notices: notices && noticeSettings(notices, `${OPTION_PATH}.notices`),
    url: url === undefined ? origin : new URL(url).origin,
  })
}

/** A language without words would never be shown. */
function checkLanguages(
  { applications }: Pick<Settings, 'applications'>,
  { tags, preferred }: Settings['languages'],
): void {
  const known = `${tags.join(', ')}. ${OPTION_PATH}.words adds a language`
  refuseIf(!tags.includes(preferred), `language must be one of: ${known}`)
  applications.forEach(({ names = {} }, index) => {
    const unused = Object.keys(names).find((name) => !tags.some((tag) => lookUp(tag, [name])))
    refuseIf(
      unused !== undefined,
      `applications[${index}].names.${unused} is not one of the languages: ${known}`,
    )
  })
}

function refuseIf(isWrong: boolean, message: string): void {
  if (isWrong) throw new TypeError(`${OPTION_PATH}.${message}`)
}

function checkProvider(provider: Provider): void {
  const { impersonation } = provider
  if (impersonation?.enabled !== true) {
    throw new TypeError(
      'supportConsole(provider) needs a Provider of oidc-provider-impersonation with features.impersonation enabled: true',
    )
  }
  if (!impersonation.canEnd) {
    throw new TypeError(
      'supportConsole(provider) needs impersonations that can be seen and ended: leave out features.impersonation.ending.enabled: false, and use a storage adapter that can end them (docs/adapters.md)',
    )
  }
  if (!hasSignOut(provider)) {
    throw new TypeError(
      'supportConsole(provider) needs features.rpInitiatedLogout, which is on by default: people sign out of its pages by it',
    )
  }
}

function hasSignOut(provider: Provider): boolean {
  try {
    return provider.pathFor('end_session') !== ''
  } catch {
    return false
  }
}

/** No page hides a route of the provider or of the other page. */
function checkPaths(path: string, account: string | undefined, issuer: string): void {
  refuseIf(
    isBelow(path, issuer),
    `path must not be below the issuer's path ${issuer}: its routes would be hidden`,
  )
  if (account === undefined) return
  refuseIf(
    isBelow(account, issuer) || isBelow(account, path) || isBelow(path, account),
    `account.path and options.path must be apart from each other and from the issuer: ${account}, ${path}, ${issuer}`,
  )
}

function isBelow(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}/`)
}
