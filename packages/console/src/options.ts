import type { OnAlarm } from './features/alarms/server/alarms.ts'
import type { NoticesOptions } from './features/notices/server/notice.ts'
import type { Permits } from './features/permits/server/options.ts'
import type { Sentences } from './kernel/sentence.ts'
import type { AuditStore } from './ledger/store.ts'
import type { Application } from './web/applications.ts'
import type { Brand } from './web/brand.ts'
import type { Customers } from './web/customer-directory.ts'
import type { AccountOptions } from './web/settings.ts'
import type { MayErase, RoleOf } from './web/sign-in/roles.ts'
import type { TicketOptions } from './web/ticket.ts'

export interface SupportConsoleOptions {
  /** The public client of the console, which `supportConsoleClient({ url })` makes. */
  readonly clientId: string
  /**
   * A client of `managementApi.clients.issue`. The console needs no secret of this client, and
   * obeys its limits, policy and binding.
   */
  readonly issueAs: string
  /**
   * Returns `'operator'`, `'lead'`, `'auditor'` or `undefined`, at every request. If it throws or
   * takes more than 5 seconds, the answer is 503, and open streams end.
   */
  readonly role: RoleOf
  /**
   * Your directory. `search(text, { offset, limit, language })` returns `{ customers, more }`, and
   * `get(id, { language })` a customer or `undefined`. If it throws, the answer is 503.
   */
  readonly customers: Customers
  /**
   * Returns whether a person with a role may see, export and erase the data of one customer on the
   * page *Personal data*. If it throws or takes more than 5 seconds, the answer is 503.
   * @defaultValue no such page
   */
  readonly mayErase?: MayErase | undefined
  /** The applications in which operators act, at least one. */
  readonly applications: readonly Application[]
  /** `createSqliteAudit()` or `createPostgresAudit()`. */
  readonly audit: AuditStore
  /** The path of the console. @defaultValue `'/console'` */
  readonly path?: string | undefined
  /** The public origin of the console. @defaultValue the origin of the issuer */
  readonly url?: string | undefined
  /**
   * The lengths that operators choose from, in seconds, each from 1 to 86400. The access token
   * lives no longer, and your policy sees the choice as `context.duration`.
   * @defaultValue no choice
   */
  readonly durations?: readonly number[] | undefined
  /** The form and the page of a ticket. @defaultValue any text of 1 to 100 characters */
  readonly ticket?: TicketOptions | undefined
  /** The page on which customers see who acted as them. @defaultValue no such page */
  readonly account?: AccountOptions | undefined
  /**
   * The result of `createPermits({ audit })`, with the same `audit` object.
   * @defaultValue no approvals
   */
  readonly permits?: Permits | undefined
  /** The firm's name, logo and color, on pages and in mails. @defaultValue those of the console */
  readonly brand?: Brand | undefined
  /** Tells customers that support acts as them. It needs `account`. @defaultValue nobody is told */
  readonly notices?: NoticesOptions | undefined
  /**
   * Called for each alarm. If it throws or takes more than 50 seconds, the signal aborts, and the
   * console calls it again later, ten times at most.
   * @defaultValue nobody is told outside the console
   */
  readonly onAlarm?: OnAlarm | undefined
  /**
   * Seconds that a response waits for its entry in the audit, more than 0 and at most 3.
   * After that, an issue or an exchange gets 503, and the console ends it.
   * @defaultValue `2`
   */
  readonly auditTimeout?: number | undefined
  /**
   * The language if the browser asks for none that the console has: `'en'`, `'de'`, or one of
   * `words`.
   * @defaultValue `'en'`
   */
  readonly language?: string | undefined
  /**
   * Sentences of more languages, by their BCP 47 tag, or in place of the console's own, as in `{
   * en: { web: { product: 'Acme support' } } }`.
   * @defaultValue none
   */
  readonly words?: Readonly<Record<string, Sentences | undefined>> | undefined
}
