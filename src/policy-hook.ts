import type { Account, Client, KoaContextWithOIDC } from 'oidc-provider'
import type { MayAct } from './binding.ts'
import type { ActClaim, SubjectTokenContext } from './claims-hook.ts'

/** What is asked of the policy: may this happen? */
export interface AuthorizationRequest {
  /** `'issue'`: a subject token is asked for. `'exchange'`: one is about to be redeemed. */
  readonly stage: 'issue' | 'exchange'
  /** The client that asks: at issue the machine-to-machine client, then the one that exchanges. */
  readonly client: Client
  /** The user to be impersonated. */
  readonly account: Account
  /**
   * Who acts. At the exchange, the operator of the actor token, `clientId` the client it was issued
   * to; absent without one. At issue, the operator that the token is to be bound to (`mayAct.sub`);
   * absent where it is bound to none.
   */
  readonly actor: (ActClaim & { readonly clientId?: string | undefined }) | undefined
  /** What the token is bound to, of operator and client. */
  readonly mayAct: MayAct | undefined
  /** The resource the token is for; at issue, those it is to be bound to. */
  readonly resource: string | readonly string[] | undefined
  /**
   * The scopes that would be granted. At issue, the most that ever will be; absent where the
   * token is not to be bound.
   */
  readonly scope: string | undefined
  /** The `context` of the subject token. */
  readonly context: SubjectTokenContext
  readonly ctx: KoaContextWithOIDC
}

/** `true` and `false`, or yes, but less: at least one of these members, and no others. */
export type Verdict =
  | boolean
  | {
      /** Some of the scopes that were asked for. Without this member, all of them. */
      readonly scope?: string
      /**
       * The access token lives at most so long, in seconds: a positive safe integer. It counts at
       * the exchange, and where nothing else sets a shorter life; at issue it is checked and has
       * no effect.
       */
      readonly accessTokenTtl?: number
    }

/**
 * The deployment's rule: who may act as whom, for what. Asked twice, at issue and at the exchange.
 * `false` refuses with `access_denied`. It can narrow scopes and never widen them, shorten the
 * access token's life and never lengthen it.
 *
 * An object has at least one of the two members and no other. One that is there and `undefined` is
 * an error, and nothing is issued: a limit that was lost on the way must not read as none.
 */
export type Authorize = (request: AuthorizationRequest) => Promise<Verdict> | Verdict

/** One complaint about `context`, in the shape of Standard Schema. */
export interface ContextIssue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

/** The context to keep, or what is wrong with it. */
export type ContextResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly ContextIssue[] }

/** Validates `context`. Answering `undefined` keeps it as it is. */
export type ContextValidator = (
  context: SubjectTokenContext,
) => Promise<ContextResult | undefined> | ContextResult | undefined

/** What is used of a Standard Schema (https://standardschema.dev): zod, valibot, arktype and others. */
export interface ContextStandardSchema {
  readonly '~standard': {
    readonly validate: (value: unknown) => Promise<ContextResult> | ContextResult
  }
}
