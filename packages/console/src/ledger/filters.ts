import type {
  Audience,
  Outcome,
  RecordKind,
  RecordState,
} from 'oidc-provider-impersonation-verify/format'

/** An audience that was to be told something before this time, in milliseconds since the epoch. */
export interface DueFilter {
  readonly to: Audience
  readonly before: number
}

/** Rows that match all given members. */
export interface RowFilter {
  /** `at` is this or later, in milliseconds since the epoch. */
  readonly from?: number | undefined
  /** `at` is earlier than this. */
  readonly to?: number | undefined
  /** The account id of the operator. */
  readonly operator?: string | undefined
  /** The account id of the customer. */
  readonly customer?: string | undefined
  /** The whole ticket number; see `ticketKey`. */
  readonly ticket?: string | undefined
  readonly outcome?: Outcome | undefined
  /**
   * Words, each of which begins a word of a name, e-mail address, account id, id, `jti`, ticket,
   * application or reason, without regard to case and accents: see `rowWordsOf`. A text without a letter
   * or digit finds nothing.
   */
  readonly text?: string | undefined
  /**
   * `'any'`: rows with an alarm. `'open'`: with one that no lead has acknowledged. `'objection'`: rows whose customer objected.
   */
  readonly alarm?: 'any' | 'objection' | 'open' | undefined
  /** Only rows on hold. */
  readonly held?: true | undefined
  /** Only rows of which the customer or the deployment was to be told something before this time. */
  readonly due?: DueFilter | undefined
}

/** Permits that match all given members. */
export interface PermitFilter {
  /** `at` is this or later, in milliseconds since the epoch. */
  readonly from?: number | undefined
  /** `at` is earlier than this. */
  readonly to?: number | undefined
  readonly customer?: string | undefined
  readonly operator?: string | undefined
  readonly kind?: RecordKind | undefined
  readonly state?: RecordState | undefined
  /** Only those that are not over at this time. */
  readonly notOverAt?: number | undefined
  readonly isReviewDue?: true | undefined
  readonly due?: DueFilter | undefined
}
