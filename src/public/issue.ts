import type { Context } from 'koa'
import type { MayAct } from './binding.ts'
import type { SubjectTokenContext } from './claims-hook.ts'
import type { Need } from './policy-hook.ts'

/** A request for a subject token: the body of `POST …/subject-tokens`. It is read as JSON has it. */
export interface SubjectTokenRequest {
  /** The user to be impersonated: 1 to 255 characters. */
  readonly userId: string
  /**
   * Kept with the token: a plain object, at most 4 KiB as JSON.
   * @defaultValue `{}`
   */
  readonly context?: SubjectTokenContext | undefined
  /** Who may redeem it. */
  readonly mayAct?: MayAct | undefined
  /** The resources it may be exchanged for: absolute URIs without fragment, at most 16. */
  readonly resource?: string | readonly string[] | undefined
  /** The maximum scope of its access token. */
  readonly scope?: string | undefined
  /** Seconds, at most the lifetime of subject tokens, which is the default. */
  readonly expiresIn?: number | undefined
}

/** For whom a subject token is issued in the process. */
export interface IssueOptions {
  /** The id of a client that `managementApi.clients.issue` names, and that authenticates. */
  readonly as: string
  /**
   * The request that is answered: `authorize`, `findAccount` and listeners see it, so that `ctx.ip` is
   * its sender's. Its response stays as it is.
   * @defaultValue a context without a request
   */
  readonly ctx?: Context | undefined
}

/** A subject token, which is shown once. */
export interface IssuedSubjectToken {
  readonly subjectToken: string
  /** Seconds. */
  readonly expiresIn: number
  /** The id of the impersonation: for `get(id)` and `end(id)`. It is no secret. */
  readonly id: string
}

/** What the deployment's rule says of a request now. It is no promise: issue and exchange ask again. */
export interface Preview {
  /** `'needs'`: an approval is missing. */
  readonly verdict: 'allowed' | 'needs' | 'refused'
  /** With `'needs'`: whose approval. */
  readonly needs?: readonly Need[]
  /** With `'needs'`: the operator may act without them in an emergency. */
  readonly emergency?: true
  /** With `'allowed'`: the limit of the rule, in seconds. */
  readonly accessTokenTtl?: number
  /** With `'allowed'`: the ids of the permits that the rule names. */
  readonly permit?: string | readonly string[]
}
