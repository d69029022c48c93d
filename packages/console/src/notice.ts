import type { NoticeKind } from 'oidc-provider-impersonation-verify/format'

export type { NoticeKind } from 'oidc-provider-impersonation-verify/format'

/** What a customer is told, to be sent as it is. Times are in milliseconds since the epoch. */
export interface Notice {
  /**
   * The same each time that it is sent: a notice can come twice, after a crash or a failure. 43 of the
   * characters A-Z, a-z, 0-9, - and _.
   */
  readonly id: string
  /**
   * `'asked'`: support asks for the customer's approval. `'started'`: support acts as the customer.
   * `'ended'`: it did; also where the start was not told before. `'emergency'`: support may act without an
   * approval. `'opened'`: the customer allowed it for all requests.
   */
  readonly kind: NoticeKind
  readonly customer: {
    /** The account id. */
    readonly id: string
    /** Without line breaks. */
    readonly name?: string | undefined
    /** Absent where directory and account have none: to be sent in another way. */
    readonly email?: string | undefined
    /** A BCP 47 tag, by the claim `locale` of the account. Without one, the language of the console. */
    readonly language: string
  }
  /** The name of the operator, or of the team: see `by` of the options. Without line breaks. Absent with `'opened'`. */
  readonly by?: string | undefined
  /** Where, as the console names it. */
  readonly application?: string | undefined
  /** Only where `ticket.pattern` is set, and it matches. */
  readonly ticket?: string | undefined
  /** The id: with `'started'` and `'ended'`. */
  readonly impersonation?: string | undefined
  /** The id: with the other kinds. */
  readonly permit?: string | undefined
  /** When it happened. */
  readonly at: number
  /** Of an impersonation. */
  readonly startedAt?: number | undefined
  /** When it ends by itself, and until when the customer can answer. Absent where it has ended, or has no end. */
  readonly expiresAt?: number | undefined
  readonly endedAt?: number | undefined
  /** The page on which the customer sees it, ends it, and objects. */
  readonly url: string
  /** Without line breaks. */
  readonly subject: string
  /** The whole message. Its only link is `url`. */
  readonly text: string
  /** The same as a document. What people and applications said is escaped, and none of it is a link. */
  readonly html: string
}

export interface NoticesOptions {
  /**
   * Sends it, by mail for example. It has 50 seconds: then the signal aborts, it counts as failed, and
   * what comes later is ignored. What it throws, or rejects with, counts as failed.
   */
  readonly send: (notice: Notice, options: { readonly signal: AbortSignal }) => unknown
  /**
   * How many are under way at once in each process. From 1 to 1,000. Ask the mail server how many
   * connections it takes.
   *
   * @defaultValue 16
   */
  readonly atOnce?: number | undefined
  /** What customers are told. @defaultValue all kinds */
  readonly when?: readonly NoticeKind[] | undefined
  /**
   * A start is told so many seconds after it. Where the end comes before, or is known to, one notice tells
   * both. From 0 to 86,400. @defaultValue 600
   */
  readonly digest?: number | undefined
  /** `'name'`: the operator by name. Any other text: the name of the team. @defaultValue 'name' */
  readonly by?: string | undefined
  /** The zone of the times in texts. @defaultValue 'UTC' */
  readonly timeZone?: string | undefined
}
