import type { Account } from 'oidc-provider'
import type { Alarm } from './audit/recording/alarms.ts'
import type { AuditStore } from './audit/store.ts'
import type { NoticesOptions } from './notice.ts'
import type { Permits } from './permits/options.ts'
import type { Sentences } from './words/sentence.ts'

/**
 * What a person may do in the console. An operator acts as customers, and sees what they did. A lead
 * may do that, too, and sees and ends all. An auditor sees all, and cannot act.
 */
export type Role = 'operator' | 'lead' | 'auditor'

/** A customer as the directory of the deployment knows them. */
export interface Customer {
  /** The account id: `sub` of their tokens. */
  readonly id: string
  readonly name: string
  readonly email?: string | undefined
  /** Why acting as them is forbidden, in a sentence for operators; absent where it is not. */
  readonly protected?: string | undefined
  /** More that helps to tell customers apart: a label and a text each, at most 4 are shown. */
  readonly details?: Readonly<Record<string, string>> | undefined
}

/** The directory of the deployment. What it throws is answered 503, and never reads as *not found*. */
export interface Customers {
  /**
   * Finds customers by what an operator typed.
   *
   * @param text 1 to 100 characters, trimmed
   * @param page which part of the result: skip `offset`, and return at most `limit`; `language` is the reader's,
   *   a BCP 47 tag, for `protected` and `details`
   * @returns the customers in the order in which they are shown, and whether there are more
   */
  search(
    text: string,
    page: { readonly offset: number; readonly limit: number; readonly language: string },
  ): SearchResult | Promise<SearchResult>
  /** @returns the customer with this account id; `undefined` where there is none */
  get(
    id: string,
    reader: { readonly language: string },
  ): Customer | undefined | Promise<Customer | undefined>
}

export interface SearchResult {
  /** More than `limit` are cut off. */
  readonly customers: readonly Customer[]
  /** Whether there are customers behind these. */
  readonly more: boolean
}

/** An application in which operators can act. */
export interface Application {
  /** How the console names it: *Shop*. */
  readonly name: string
  /** The name in a language in which it is another one, by the language: `{ de: 'Laden' }`. */
  readonly names?: Readonly<Record<string, string | undefined>> | undefined
  /** The page that accepts the impersonation: https, or http on this machine. */
  readonly url: string
  /** The client of the application, which no other one has: the subject token is bound to it. */
  readonly clientId: string
  /** The resource indicator of the API that the application calls. */
  readonly resource: string
  /**
   * The scopes to look at a customer's data, and to change it: one or several, separated by spaces.
   * Without `change`, operators can only look.
   */
  readonly scopes: { readonly read: string; readonly change?: string | undefined }
  /**
   * How the subject token comes to `url`: in the fragment, for a page that uses
   * `oidc-provider-impersonation-browser`; or posted in a form, for an application that renders its
   * pages on the server (docs/server-rendered.md). @defaultValue 'fragment'
   */
  readonly handOver?: 'fragment' | 'form' | undefined
}

/** A request that an operator made, as the deployment is asked to describe it. */
export interface DescribedUse {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly status: number | undefined
  /** Whether the API refused it. */
  readonly refused: boolean
  /** The audience of the API. */
  readonly audience: string
}

/**
 * Says in the words of the application what a request did: `Looked at your orders`. At most 200
 * characters are shown. On the account page, `undefined` hides it, and where it throws, or answers no
 * text, the request is counted. In the timeline of the audit, it stands before method and path, which
 * are shown where there is no text.
 *
 * @param language of the reader, a BCP 47 tag: one of those that the console has words in
 */
export type UseInWords = (use: DescribedUse, language: string) => string | undefined

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
  /** At least one. */
  readonly applications: readonly Application[]
  /** `createSqliteAudit()` or `createPostgresAudit()`. */
  readonly audit: AuditStore
  /** Where the console is. @defaultValue '/console' */
  readonly path?: string | undefined
  /** The public origin of the console. @defaultValue the origin of the issuer */
  readonly url?: string | undefined
  /**
   * How long operators may act at most, as they can choose it: whole seconds from 1 to 86400. It goes
   * to the policy as `context.duration`, and `authorize` must answer `accessTokenTtl`. Without it, no
   * choice is shown.
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
  /**
   * Tells customers that support acts as them, and what was done: docs/notices.md. It needs `account`.
   * Without it, customers find it on that page alone.
   */
  readonly notices?: NoticesOptions | undefined
  /**
   * Called once for each alarm that this process recorded, after it was stored: for mail, chat or a
   * pager. The next alarm waits for it, at most 10 seconds. What it throws stands on stderr.
   */
  readonly onAlarm?: ((alarm: Alarm) => unknown) | undefined
  /**
   * Seconds that an answer waits for its entry of the audit to be stored: more than 0, at most 3. The
   * answer to an issue or an exchange is 503 then, and what was issued is ended; that to an end leaves.
   * @defaultValue 2
   */
  readonly auditTimeout?: number | undefined
  /**
   * Paths on this origin of APIs whose guard tells `onImpersonatedRequest`: requests of operators wait
   * until what was told before is stored, and are 503 where that takes longer than `auditTimeout`. What
   * a request did is told after its answer. @defaultValue none
   */
  readonly apis?: readonly string[] | undefined
  /**
   * The language where the browser asks for none that there is: `'en'`, `'de'`, or one that `words` adds.
   * @defaultValue 'en'
   */
  readonly language?: string | undefined
  /**
   * The words of more languages, by their BCP 47 tag: `{ fr: { account: { title: '…' } } }`. Parts and keys
   * are those of the JSON files in `dist/words`. Where a sentence is missing, the English one stands, and
   * one warning counts them. It also replaces sentences of the console: `{ en: { web: { product: '…' } } }`.
   */
  readonly words?: Readonly<Record<string, Sentences | undefined>> | undefined
}
