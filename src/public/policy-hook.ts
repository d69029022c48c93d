import type { Account, Client, KoaContextWithOIDC } from 'oidc-provider'
import type { MayAct } from './binding.ts'
import type { ActClaim, SubjectTokenContext } from './claims-hook.ts'

/** The question to the policy: is this request allowed? */
export interface AuthorizationRequest {
  /** `'issue'`: a subject token is asked for. `'exchange'`: one is about to be redeemed. */
  readonly stage: 'issue' | 'exchange'
  /**
   * A question beforehand, at the stage `'issue'`: nothing is issued, whatever is answered. A rule that
   * counts must not count it.
   */
  readonly isPreview?: true | undefined
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
  /**
   * At the exchange: the software that acts, for `actor` or on its own; the id of `client`, where
   * `actorToken.clients` names it.
   */
  readonly software?: string | undefined
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
  /** The Koa context of the request. */
  readonly ctx: KoaContextWithOIDC
}

/** Whose approval a request needs: another person's than the operator's, or the user's own. */
export type Need = 'second_person' | 'user'

/** `true`, `false`, or a narrower permission: at least one of these members, and no others. */
export type Verdict =
  | boolean
  | {
      /** Some of the scopes that were asked for. Without this member, all of them. */
      readonly scope?: string
      /**
       * The maximum lifetime of the access token, in seconds: a positive safe integer. It applies
       * at the exchange; the shortest of all limits wins. At issue, the value is checked and has no
       * effect.
       */
      readonly accessTokenTtl?: number
      /**
       * Whose approval is missing: one or both. At issue the answer is 403 `approval_required`, and
       * nothing is stored; at the exchange `access_denied`, and the subject token stays usable.
       */
      readonly needs?: readonly Need[]
      /** Beside `needs`: whether an operator may act without them, in an emergency. */
      readonly emergency?: boolean
      /**
       * The id of the permit that allows it: 1 to 255 characters. Where several permits allow it together,
       * a list of 1 to 16 ids: the end of all under one of them ends it. The object and every event have
       * it.
       */
      readonly permit?: string | readonly string[]
      /**
       * Why a person has to look at it afterwards: 1 to 255 characters. The object and every event of
       * the impersonation have it.
       */
      readonly review?: string
    }

/**
 * The deployment's rule: which operator may act as which user, and for what. It is called twice: at
 * issue and at the exchange. `false` refuses with `access_denied`. It can remove scopes and cannot
 * add any. It can shorten the lifetime of the access token and cannot extend it.
 *
 * An object has at least one of the members of {@link Verdict} and no other. A member with the value `undefined`
 * is an error, and nothing is issued: a limit that was lost by mistake is not treated as "no
 * limit".
 */
export type Authorize = (request: AuthorizationRequest) => Promise<Verdict> | Verdict

/** One complaint about `context`, in the shape of Standard Schema. */
export interface ContextIssue {
  /** What is wrong. The caller sees it. */
  readonly message: string
  /** Where in `context`, from the outside in; absent for all of it. */
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
