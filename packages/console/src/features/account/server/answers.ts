import type { AccountImpersonation } from '../../../web/account-card.ts'

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
