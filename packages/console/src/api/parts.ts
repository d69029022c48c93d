import type { Context } from 'koa'
import type { Provider } from 'oidc-provider-impersonation'
import type { Changes } from '../audit/recording/changes.ts'
import type { Recorder } from '../audit/recording/recorder.ts'
import type { AuditStore } from '../audit/store.ts'
import type { Role } from '../options.ts'
import type { Pauses } from '../permits/pauses.ts'
import type { Settings } from '../settings.ts'
import type { SignedIn } from '../sign-in/signed-in.ts'
import type { CustomerDirectory } from './customer-directory.ts'
import type { IssueSubjectToken, PreviewIssue } from './issue.ts'
import type { OperatorLimit } from './operator-limit.ts'
import type { NamePerson } from './person-names.ts'
import type { Refusals } from './refusals.ts'

/** What the handlers of the API stand on. */
export interface Parts {
  readonly provider: Provider
  readonly settings: Settings
  readonly audit: Audit
  readonly directory: CustomerDirectory
  readonly nameOf: NamePerson
  readonly issue: IssueSubjectToken
  /** Asks the rule beforehand. */
  readonly preview: PreviewIssue
  /** Comes before `issue`: each request makes an entry of the audit, also one that is never used. */
  readonly limitIssues: OperatorLimit
  /** Comes before `preview`: the rule of the deployment may cost. */
  readonly limitPreviews: OperatorLimit
  readonly refusals: Refusals
  /** Operators who may not start, with permits and without. */
  readonly pauses: Pauses
  /** Aborts when the console closes: streams end, and no new ones begin. */
  readonly closing: AbortSignal
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number
}

/** The audit: what is stored, what is written, and what changes. */
export interface Audit {
  readonly store: AuditStore
  readonly recorder: Recorder
  readonly changes: Pick<Changes, 'follow'>
}

/** Who calls, and may. */
export interface Caller extends SignedIn {
  readonly role: Role
}

/** A request that was let in. */
export interface Call extends Parts {
  readonly ctx: Context
  readonly caller: Caller
  /** A parameter of the path. */
  param(name: string): string
  /** Finds the caller again. It rejects where the caller may not use the route any more. */
  findAgain(): Promise<Caller>
}
