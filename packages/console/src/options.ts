import type { Account } from 'oidc-provider'
import type { OnAlarm } from './features/alarms/server/alarms.ts'
import type { NoticesOptions } from './features/notices/server/notice.ts'
import type { Permits } from './features/permits/server/options.ts'
import type { Role } from './kernel/roles.ts'
import type { Sentences } from './kernel/sentence.ts'
import type { AuditStore } from './ledger/store.ts'
import type { Application } from './web/applications.ts'
import type { Brand } from './web/brand.ts'
import type { Customers } from './web/customer-directory.ts'
import type { MayErase } from './web/sign-in/roles.ts'
import type { UseInWords } from './web/use-words.ts'

export interface SupportConsoleOptions {
  /** The public client of the console. `supportConsoleClient({ url, clientId, path })` makes its metadata. */
  readonly clientId: string
  /**
   * The id of a client that `managementApi.clients` names for `issue`. The console issues in this process and needs no
   * secret of this client. The limits, the policy and the binding that you set for it hold.
   */
  readonly issueAs: string
  /**
   * Answers `'operator'`, `'lead'`, `'auditor'`, or `undefined` for a person without a role. The console asks at every
   * request, so a role that you take away is gone at once. If this throws or takes more than 5 seconds, the answer is
   * 503, and open streams end.
   */
  readonly role: (account: Account) => Role | undefined | Promise<Role | undefined>
  /**
   * Your directory of customers. `search(text, { offset, limit, language })` answers `{ customers, more }`, and
   * `get(id, { language })` answers a customer or `undefined`. `language` is the reader's. If either throws, the answer
   * is 503.
   */
  readonly customers: Customers
  /**
   * Answers whether a person with a role may see, export and erase what there is of one customer. Those of whom
   * it answers `true` have the page *Personal data*. One of them asks for an erasure, and another one confirms it
   * within a day. If this no longer answers `true` for the person who asked, the request lapses. The console asks at
   * every request. If this throws or takes more than 5 seconds, the answer is 503.
   *
   * @defaultValue There is no such page.
   */
  readonly mayErase?: MayErase | undefined
  /** The applications in which operators can act. List at least one. */
  readonly applications: readonly Application[]
  /** The store of the audit: `createSqliteAudit()` or `createPostgresAudit()`. */
  readonly audit: AuditStore
  /** The path of the console. @defaultValue `'/console'` */
  readonly path?: string | undefined
  /** The public origin of the console. @defaultValue The origin of the issuer. */
  readonly url?: string | undefined
  /**
   * The lengths that operators choose from, in seconds, each from 1 to 86400. The access token lives no longer than
   * the operator chose. Your policy sees the choice as `context.duration`. Its `accessTokenTtl` and the provider's
   * `accessToken.maxTtl` can shorten it, and nothing lengthens it. If another backend sends a `duration`, your policy
   * has to enforce it.
   *
   * @defaultValue No choice is shown, and the access token has its own lifetime.
   */
  readonly durations?: readonly number[] | undefined
  /** The form of a ticket number, and the page of a ticket. @defaultValue A ticket number has 1 to 100 characters. */
  readonly ticket?: TicketOptions | undefined
  /** The page on which customers see who acted as them. @defaultValue There is no such page. */
  readonly account?: AccountOptions | undefined
  /**
   * What `createPermits({ audit })` made with the same `audit` object. Another object is a `TypeError`.
   *
   * @defaultValue Nobody can ask for an approval.
   */
  readonly permits?: Permits | undefined
  /** The firm's name, logo and color, for the pages of the console, the account page and mails. @defaultValue The console's own. */
  readonly brand?: Brand | undefined
  /** Tells customers that support acts as them. It needs `account`. @defaultValue Customers see it on the account page alone. */
  readonly notices?: NoticesOptions | undefined
  /**
   * Called for each alarm, for mail, chat or a pager. If it throws or takes more than 50 seconds, the signal aborts and
   * it is called again later, also after a crash. It is not called again once it has resolved.
   *
   * @defaultValue Leads see alarms in the console alone.
   */
  readonly onAlarm?: OnAlarm | undefined
  /**
   * How long an answer waits in seconds until its entry of the audit is stored. It is more than 0, and at most 3. If an
   * issue or an exchange takes longer, the answer is 503, and what was issued is ended. The answer to an end leaves in
   * any case.
   *
   * @defaultValue `2`
   */
  readonly auditTimeout?: number | undefined
  /**
   * The language if the browser asks for none that there is. It is `'en'`, `'de'`, or one that `words` adds.
   *
   * @defaultValue `'en'`
   */
  readonly language?: string | undefined
  /**
   * The sentences of more languages, by their BCP 47 tag. They also replace sentences of the console, as in
   * `{ en: { web: { product: 'Acme support' } } }`. If a sentence is missing, the English one stands there, and one
   * warning counts them.
   *
   * @defaultValue English and German.
   */
  readonly words?: Readonly<Record<string, Sentences | undefined>> | undefined
}

/** What a ticket is here. */
export interface TicketOptions {
  /** The whole ticket number has to match it. It has no flag but `u`. @defaultValue 1 to 100 characters. */
  readonly pattern?: RegExp | undefined
  /** A number that matches, such as `SUP-123`. An operator who enters something else reads it. @defaultValue No example. */
  readonly example?: string | undefined
  /** Answers the http or https URL of a ticket's page. If it throws, there is no link. @defaultValue There are no links. */
  readonly url?: ((ticket: string) => string) | undefined
}

/** The page on which customers see who acted as them. */
export interface AccountOptions {
  /** The public client of the page. `customerAccountClient({ url })` makes its metadata. */
  readonly clientId: string
  /** The path of the page. @defaultValue `'/account'` */
  readonly path?: string | undefined
  /**
   * Says in the words of your application what a request did, such as *Looked at your orders*. If it answers
   * `undefined`, the account page hides the request. If it throws or answers no text, the request is counted there. The
   * audit shows every request.
   *
   * @defaultValue The account page counts reads and changes.
   */
  readonly describe?: UseInWords | undefined
}
