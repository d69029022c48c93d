import type { Unapproved } from 'oidc-provider-impersonation-verify/format'
import type { WhatWasDone } from '../../../web/done.ts'

// The answers of the account page. Each request has `Authorization: Bearer <access
// token>` of a person who signed in to the client of the account page with the scope openid. Without
// one the answer is 401. A problem is `{error, error_description}`. Times are in milliseconds since
// the epoch. A customer reads only what concerns them: never the reason that the operator gave, nor
// why the provider refused a request.

/**
 * `GET {account.path}?before=&limit=`. `limit` is 1 to 50, 10 without. A part that cannot be read now is
 * `null`: the customer must be able to end what runs in any case.
 */
export interface AccountPageAnswer<R> {
  /** Who acts as the caller now, newest first. */
  readonly running: readonly AccountImpersonation[] | null
  /** What support asks, and what the caller answered. */
  readonly records: R | null
  readonly past: AccountAnswer | null
}

/** Newest first. */
export interface AccountAnswer {
  readonly impersonations: readonly AccountImpersonation[]
  /** The value of `before` for the next, older page. */
  readonly next?: string
}

/** How it stands, or how it ended. */
export type AccountState =
  | 'waiting' // asked for, can still start
  | 'running'
  | 'ended_by_you'
  | 'left' // the operator left the page
  | 'ended' // by `endedBy`, or by the support team where it is not known who
  | 'signed_out' // the operator signed out
  | 'replayed' // ended, because the key to it was used a second time
  | 'policy' // ended by a rule of the provider
  | 'expired' // its time was over
  | 'unused' // asked for and never started
  | 'refused' // never granted

export interface AccountImpersonation extends WhatWasDone {
  readonly id: string
  /** Absent where it is not known. Without a name, the page shows the id. */
  readonly operator?: { readonly id: string; readonly name?: string }
  /** The client id of the software that acts, for the operator or on its own. */
  readonly software?: string
  readonly ticket?: string
  /** The name of the application, or its client id. */
  readonly application?: string
  readonly state: AccountState
  /** Whether the operator could change something; absent where it never started. */
  readonly canChange?: boolean
  /** An emergency, which nobody approved; or one after a request of the same operator was refused. */
  readonly unapproved?: Unapproved
  /** When it was asked for, or refused. */
  readonly at: number
  readonly startedAt?: number
  /** When it ends by itself, where it runs. */
  readonly expiresAt?: number
  /** When it was over. */
  readonly endedAt?: number
  /** With `ended`: the operator, or another person. Without a name, the page shows the id. */
  readonly endedBy?: { readonly id: string; readonly name?: string }
  /** How often its key was used again: one that was stolen, perhaps. */
  readonly replays: number
  /** When the caller said that they did not ask for it. */
  readonly objectedAt?: number
  /** When another person lifted what the objection began. */
  readonly lookedIntoAt?: number
}
