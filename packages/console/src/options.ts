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
import type { ListStaff } from './web/settings.ts'
import type { MayErase } from './web/sign-in/roles.ts'
import type { UseInWords } from './web/use-words.ts'

export interface SupportConsoleOptions {
  /** The public client of the console: see `supportConsoleClient`. */
  readonly clientId: string
  /**
   * The client for which the console issues, in this process: `managementApi.clients` names it for
   * `issue`. The console needs no secret of it.
   */
  readonly issueAs: string
  /**
   * Called at every request: a role that was taken away is gone at once. What it throws is answered
   * 503, and so is an answer that takes more than 5 seconds.
   */
  readonly role: (account: Account) => Role | undefined | Promise<Role | undefined>
  readonly customers: Customers
  /**
   * The people who work in support, or may: leads and auditors see those of them who have a role, each with the role that
   * `role` answers. At most 200 are looked at. Without it, that list is empty.
   */
  readonly staff?: ListStaff | undefined
  /**
   * Who answers requests about the data of one person: those with a role of whom it answers `true` have the page
   * *Personal data*, where one of them asks for an erasure and another one confirms it. Called at every request;
   * what it throws is answered 503, and so is an answer that takes more than 5 seconds. Without it, there is no
   * such page.
   */
  readonly mayErase?: MayErase | undefined
  /** At least one. */
  readonly applications: readonly Application[]
  /** `createSqliteAudit()` or `createPostgresAudit()`. */
  readonly audit: AuditStore
  /** Where the console is. @defaultValue '/console' */
  readonly path?: string | undefined
  /** The public origin of the console. @defaultValue the origin of the issuer */
  readonly url?: string | undefined
  /**
   * How long operators may act at most, as they can choose it: whole seconds from 1 to 86400. The access token
   * lives no longer than the operator chose. The policy sees the choice as `context.duration`; its
   * `accessTokenTtl` and the provider's own limits can shorten it, and never lengthen it. Without it, no choice
   * is shown.
   */
  readonly durations?: readonly number[] | undefined
  /** What a ticket number looks like. @defaultValue 1 to 100 characters */
  readonly ticket?:
    | {
        /** The whole number matches it. It has no flag but `u`. */
        readonly pattern?: RegExp | undefined
        /** One that matches it, such as `SUP-123`: said where an operator enters another. */
        readonly example?: string | undefined
        /** The page of a ticket: an http or https URL. What it throws leaves the link away. */
        readonly url?: ((ticket: string) => string) | undefined
      }
    | undefined
  /** The page on which customers see who acted as them. Without it, there is none. */
  readonly account?:
    | {
        /** The public client of the page: see `customerAccountClient`. */
        readonly clientId: string
        /** @defaultValue '/account' */
        readonly path?: string | undefined
        /** What an operator did, in the words of the application; `undefined` hides it there. */
        readonly describe?: UseInWords | undefined
      }
    | undefined
  /**
   * What `createPermits({ audit })` made, with the same audit: operators ask for an approval, and who may
   * approve decides (docs/permits.md). Without it, there is none.
   */
  readonly permits?: Permits | undefined
  /** The firm's name, logo and color: on the pages of the console, on the account page, and in mails. */
  readonly brand?: Brand | undefined
  /**
   * Tells customers that support acts as them, and what was done: docs/notices.md. It needs `account`.
   * Without it, customers find it on that page alone.
   */
  readonly notices?: NoticesOptions | undefined
  /**
   * Called for each alarm, for mail, chat or a pager: again after a failure or a crash, until it resolves, and
   * once after that (docs/notices.md). It has 50 seconds: then the signal aborts, and it failed.
   */
  readonly onAlarm?: OnAlarm | undefined
  /**
   * Seconds that an answer waits for its entry of the audit to be stored: more than 0, at most 3. The
   * answer to an issue or an exchange is 503 then, and what was issued is ended; that to an end leaves.
   * @defaultValue 2
   */
  readonly auditTimeout?: number | undefined
  /**
   * The language where the browser asks for none that there is: `'en'`, `'de'`, or one that `words` adds.
   * @defaultValue 'en'
   */
  readonly language?: string | undefined
  /**
   * The words of more languages, by their BCP 47 tag: `{ fr: { account: { title: '…' } } }`. Parts and keys
   * are those of the JSON files in `dist/features/<part>/words` and `dist/web/words`. The German file of
   * impersonations has `events`, too. Where a sentence is missing, the English one stands, and one warning
   * counts them. It also replaces sentences of the console: `{ en: { web: { product: '…' } } }`.
   */
  readonly words?: Readonly<Record<string, Sentences | undefined>> | undefined
}
