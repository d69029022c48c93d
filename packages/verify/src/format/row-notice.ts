/**
 * What customers are told: support asks for an approval; acts; did; may act without one, in an emergency;
 * the customer allowed it for all requests.
 */
export const NOTICE_KINDS = ['asked', 'started', 'ended', 'emergency', 'opened'] as const

export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** With the entry of a start, and the first one of a permit: what the customer is to be told of it. */
export interface NoticeMark {
  readonly when: readonly NoticeKind[]
  /** A start and an end within so many seconds become one notice. */
  readonly digest: number
}

/** With an entry about a notice. */
export interface NoticeTry {
  /** What it tells. */
  readonly kinds: readonly NoticeKind[]
  /** 1 for the first of an impersonation or a permit, and one more for each next. */
  readonly attempt: number
  /** How many failed, one after the other, this one included. */
  readonly failures: number
  /**
   * With `support.joined`, of an end: it is told with a later impersonation. If that one does not tell it by
   * then, it is due again. In milliseconds since the epoch.
   */
  readonly until?: number | undefined
}

/** What the customer of a row or a permit is to be told, and what was done about it. */
export interface RowNotice extends NoticeMark {
  /** What needs not be told any more, in the order of the alphabet. */
  readonly settled: readonly NoticeKind[]
  /** The last attempt. */
  readonly last?:
    | (Omit<NoticeTry, 'kinds'> & { readonly at: number; readonly is: AttemptStage })
    | undefined
}

/** How an attempt stands: later ones beat earlier ones. */
export const ATTEMPT_STAGES = ['joined', 'begun', 'failed', 'told'] as const

export type AttemptStage = (typeof ATTEMPT_STAGES)[number]
