import type { NoticeKind, Unapproved } from 'oidc-provider-impersonation-verify/format'

export type { NoticeKind } from 'oidc-provider-impersonation-verify/format'

/** A notice for a customer, to be sent as it is. Times are in milliseconds since the epoch. */
export interface Notice {
  /**
   * The same each time that it is sent: a notice can come twice, after a crash or a failure. 43 of the
   * characters A-Z, a-z, 0-9, - and _.
   */
  readonly id: string
  /**
   * The same for all notices about one ticket of the customer: they are one conversation. In the form of `id`.
   */
  readonly thread: string
  /**
   * `'asked'`: support asks for the customer's approval. `'started'`: support acts as the customer.
   * `'ended'`: it did, with the whole ticket, also where that was told before. `'emergency'`: support may act without an
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
  /** The names of the operators, or of the team: see `by` of the options. Without line breaks. Absent with `'opened'`. */
  readonly by?: string | undefined
  /** The application, as the console names it. */
  readonly application?: string | undefined
  /** Only where `ticket.pattern` is set, and it matches. */
  readonly ticket?: string | undefined
  /** The ids, with `'started'` and `'ended'`: all of which it tells. The first comes first. */
  readonly impersonations?: readonly string[] | undefined
  /** The id: with the other kinds. */
  readonly permit?: string | undefined
  /**
   * Present if nobody approved it: an emergency. `'after_refusal'`: a request of the same operator was refused before.
   */
  readonly unapproved?: Unapproved['unapproved']
  /** When it happened. */
  readonly at: number
  /** Of the first impersonation. */
  readonly startedAt?: number | undefined
  /** When it ends by itself, and until when the customer can answer. Absent where it has ended, or has no end. */
  readonly expiresAt?: number | undefined
  readonly endedAt?: number | undefined
  /** The page on which the customer sees it, ends it, and objects. */
  readonly url: string
  /** Without line breaks. */
  readonly subject: string
  /** The whole message. Its only link is `url`, beside a logo. */
  readonly text: string
  /** The same as a document. What people and applications said is escaped, and none of it is a link. */
  readonly html: string
}

/** The options, with their defaults. */
export type NoticeSettings = {
  readonly [K in keyof Omit<NoticesOptions, 'from' | 'transport'>]-?: NonNullable<NoticesOptions[K]>
}

export interface NoticesOptions {
  /**
   * The result of nodemailer's `createTransport()`. It needs `from`.
   * @defaultValue `send` is required
   */
  readonly transport?: MailTransport | undefined
  /**
   * The one sender of these mails, such as `'Example Shop <support@example.com>'`.
   * @defaultValue required with `transport`
   */
  readonly from?: string | undefined
  /**
   * Sends a notice in another way. If it throws or takes more than 50 seconds, the signal aborts
   * and the attempt has failed.
   * @defaultValue `transport` is required
   */
  readonly send?:
    | ((notice: Notice, options: { readonly signal: AbortSignal }) => unknown)
    | undefined
  /** The number of notices that a process sends at the same time, from 1 to 1000. @defaultValue `16` */
  readonly atOnce?: number | undefined
  /** The kinds that customers are told. @defaultValue all kinds */
  readonly when?: readonly NoticeKind[] | undefined
  /**
   * Time from a start to its notice, in seconds, from 0 to 86400. A ticket is over when nothing has run
   * for it for as long, at least 10 seconds.
   * @defaultValue `600`
   */
  readonly digest?: number | undefined
  /**
   * `'name'` names the operator. Any other text is the name of a team, in place of a person.
   * @defaultValue `'name'`
   */
  readonly by?: string | undefined
  /** The time zone of the text, such as `'Europe/Berlin'`. @defaultValue `'UTC'` */
  readonly timeZone?: string | undefined
}

/** The part of nodemailer's `Transporter` that is used. */
export interface MailTransport {
  sendMail(mail: Mail): Promise<unknown>
}

/** As an object: a name can look like a list of addresses. */
export interface MailAddress {
  readonly name: string
  readonly address: string
}

/** A mail, as nodemailer has it. */
export interface Mail {
  readonly from: MailAddress
  readonly to: MailAddress
  readonly subject: string
  readonly text: string
  readonly html: string
  /** A logo in a `data:` URL becomes a part of the mail: many programs show no such URL. */
  readonly attachDataUrls: true
  readonly messageId: string
  readonly references: string
  readonly inReplyTo: string
  readonly headers: Readonly<Record<string, string>>
}
