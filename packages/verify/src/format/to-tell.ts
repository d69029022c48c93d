/** The receivers of a message. */
export const AUDIENCES = ['customer', 'deployment'] as const

export type Audience = (typeof AUDIENCES)[number]

/**
 * Notices for customers: support asks for an approval; acts; acted; may act without one, in an
 * emergency; the customer allowed it for all requests.
 */
export const NOTICE_KINDS = ['asked', 'started', 'ended', 'emergency', 'opened'] as const

export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** Changes of a permit that the deployment is told, in the order in which they can happen. */
export const PERMIT_CHANGES = [
  'requested',
  'emergency',
  'granted',
  'declined',
  'revoked',
  'reviewed',
] as const

export type PermitChange = (typeof PERMIT_CHANGES)[number]

/** With an entry of which somebody is to be told. */
export interface ToTell {
  readonly to: Audience
  /** A notice, an alarm, or a change of a permit. */
  readonly kind: string
  /** So many seconds later. @defaultValue 0 */
  readonly after?: number | undefined
}

/** With an entry about telling what the impersonation or the permit of the entry is about. */
export interface Delivery extends Pick<ToTell, 'kind' | 'to'> {
  /** Number of times that it had happened by then: 1 or more. */
  readonly count: number
  /** 1 for the first to these people, and one more for each next. */
  readonly attempt: number
  /** Number of failures in a row, this one included. */
  readonly failures: number
}

/** News for an audience about an impersonation or a permit, with the attempts to tell it. */
export interface Deliveries {
  /** By kind. `at` is the time of the last one, in milliseconds since the epoch. */
  readonly due: Readonly<
    Record<string, { readonly count: number; readonly at: number; readonly after: number }>
  >
  /** Number of them, by kind, that need not be told any more. */
  readonly told: Readonly<Record<string, number>>
  /** The last attempt. */
  readonly last?:
    | (Pick<Delivery, 'attempt' | 'failures'> & { readonly at: number; readonly is: Stage })
    | undefined
}

export type AllDeliveries = Readonly<Partial<Record<Audience, Deliveries>>>

/** Stages of an attempt: later ones beat earlier ones. */
export const STAGES = ['joined', 'begun', 'failed', 'told'] as const

export type Stage = (typeof STAGES)[number]
