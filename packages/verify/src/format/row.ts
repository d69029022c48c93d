import type { Named } from './entry.ts'
import type { AllDeliveries } from './to-tell.ts'
import type { EndCause } from './told.ts'

export interface AuditPerson extends Named {
  readonly id: string
}

export const ALARM_KINDS = [
  // A subject token was presented again after it had been redeemed.
  'replayed',
  // A DPoP proof was presented again: the token and a proof of its key are in other hands.
  'proof_reused',
  // A request to act as a person whom the directory of the deployment protects.
  'protected',
  // The customer says: I did not ask for this.
  'objection',
  // The customer could not be told, three times one after the other.
  'not_notified',
  // The storage has another customer than the entries: somebody changed it.
  'tampered',
  // The guards of APIs refused ten acts, or three different ones that are closed to impersonations.
  'refused',
] as const

export type AlarmKind = (typeof ALARM_KINDS)[number]

/** A request to an API. */
export interface RowUse {
  readonly at: number
  readonly method?: string | undefined
  readonly path?: string | undefined
  /** Of the answer. */
  readonly status?: number | undefined
  /** `true` if the guard refused it. */
  readonly isRefused?: true | undefined
  readonly audience: string
}

/**
 * One impersonation, from the first event to the last: the sum of its entries. A refused request to
 * act, for which there never was an impersonation, is a row as well. All times are in milliseconds
 * since the epoch. What is not known is absent.
 */
export interface AuditRow {
  /** The id of the impersonation; of a refused request, an id of the same form. Permanent. */
  readonly id: string
  /**
   * Time of the first entry. With `id`, it is the place in the list. It changes only where an entry of
   * another process that happened earlier is stored later: then it becomes that earlier time.
   */
  readonly at: number
  /** Time of the last entry. */
  readonly lastAt: number
  readonly customer?: AuditPerson | undefined
  readonly operator?: AuditPerson | undefined
  /** The software that acts, for the operator or on its own: its client id. */
  readonly software?: string | undefined
  readonly ticket?: string | undefined
  readonly reason?: string | undefined
  /** The id of the impersonation that the operator continued with this one. */
  readonly continues?: string | undefined
  /** The id of the permit by which it was allowed, or of several. */
  readonly permit?: string | readonly string[] | undefined
  /** The reason for which the policy wants it looked at. */
  readonly review?: string | undefined
  /** The client id of the application. */
  readonly application?: string | undefined
  /** The machine client that asked for the subject token. */
  readonly requestedBy?: string | undefined
  readonly resource?: string | undefined
  readonly scope?: string | undefined
  /** Of the access token. */
  readonly jti?: string | undefined
  readonly askedAt?: number | undefined
  readonly startedAt?: number | undefined
  /**
   * There is no entry of the start. A request to an API proves it: `startedAt` is the time of the first
   * one, and `expiresAt` is at least that of the last one.
   */
  readonly isStartInferred?: true | undefined
  /** When the access token expires; before the start, when the subject token does. */
  readonly expiresAt?: number | undefined
  readonly end?:
    | {
        readonly at: number
        readonly cause: EndCause
        /** The account id. */
        readonly by?: string | undefined
        /** The name of a person who is neither the operator nor the customer. */
        readonly name?: string | undefined
        readonly reason?: string | undefined
      }
    | undefined
  /** The first refusal: of a request that never became an impersonation, or of one before it began. */
  readonly refusal?:
    | { readonly at: number; readonly error: string; readonly reason: string }
    | undefined
  /** Requests to APIs that read (GET, HEAD, OPTIONS), and that changed something (the others). */
  readonly reads: number
  readonly changes: number
  /** Requests that the guard refused. */
  readonly refused: number
  /** Requests that the guard let pass, and that the API answered with an error. */
  readonly failed: number
  /** The newest of these requests. */
  readonly lastUse?: RowUse | undefined
  /** Refused exchanges, refused ends, and refused requests to act. */
  readonly denied: number
  /** Number of times that the subject token was presented again. */
  readonly replays: number
  /** Acts that the guards of APIs refused: many of them are an alarm. */
  readonly refusedActs?:
    | {
        /** Time of the last one. */
        readonly at: number
        readonly count: number
        /** Different ones that are closed to impersonations, at most three. */
        readonly denied: readonly string[]
      }
    | undefined
  readonly alarm?:
    | {
        /** Time of the last one. */
        readonly at: number
        /** In the order of the alphabet. */
        readonly kinds: readonly AlarmKind[]
        /** There is an open one where it is more than `acknowledged.alarms`. */
        readonly count: number
      }
    | undefined
  readonly acknowledged?:
    | {
        /** Of the last acknowledgement, as `by` and `note`. */
        readonly at: number
        readonly by: string
        readonly note?: string | undefined
        /** Number of alarms that people have seen: the most of all acknowledgements. */
        readonly alarms: number
      }
    | undefined
  /** The last of `support.held` and `support.released`. */
  readonly hold?:
    | {
        readonly at: number
        readonly by: string
        readonly isHeld: boolean
        readonly note?: string | undefined
      }
    | undefined
  readonly objection?: { readonly at: number; readonly note?: string | undefined } | undefined
  /** Notices for the customer (`notices`), and alarms for the deployment (`onAlarm`). */
  readonly deliveries?: AllDeliveries | undefined
}

/** States of an impersonation, and causes of its end. */
export const ALL_OUTCOMES = [
  'waiting', // asked for, not started yet, can still start
  'running',
  'requested', // ended by an operator or a lead
  'user', // ended by the customer
  'operator_signed_out',
  'replay', // ended because the subject token was used again
  'policy', // ended by a policy
  'expired', // ran until its time was over
  'unused', // asked for and never started
  'refused', // never granted
] as const

export type Outcome = (typeof ALL_OUTCOMES)[number]

/**
 * The person or thing that ended it. `left`: the operator left the page. `other`: a person who is
 * neither the operator nor the customer. `provider`: nobody is named.
 */
export type Ending = Exclude<EndCause, 'requested'> | 'left' | 'operator' | 'other' | 'provider'

/** `undefined` where nothing ended it. */
export function endingOf({
  end,
  operator,
}: Pick<AuditRow, 'end' | 'operator'>): Ending | undefined {
  if (end?.cause !== 'requested') return end?.cause
  if (end.by === undefined) return 'provider'
  if (end.by !== operator?.id) return 'other'
  // The page says so itself.
  return end.reason === 'left' ? 'left' : 'operator'
}

/** @param now in milliseconds since the epoch */
export function outcomeOf(
  row: Pick<AuditRow, 'askedAt' | 'end' | 'expiresAt' | 'startedAt'>,
  now: number,
): Outcome {
  if (row.end) return row.end.cause
  const isOver = row.expiresAt === undefined || row.expiresAt <= now
  if (row.startedAt !== undefined) return isOver ? 'expired' : 'running'
  if (row.askedAt === undefined) return 'refused'
  return isOver ? 'unused' : 'waiting'
}
