import type { Context } from 'koa'
import type { Need, Provider, SubjectTokenRequest } from 'oidc-provider-impersonation'
import type { ObjectEntries } from 'valibot'
import type { Read } from '../kernel/input.ts'
import type { Role } from '../kernel/roles.ts'
import type { Audit } from '../ledger/recording/audit.ts'
import type { Issuing } from './acting/issue.ts'
import type { Refusals } from './acting/refusals.ts'
import type { ActBody } from './answers.ts'
import type { Application } from './applications.ts'
import type { Customer, CustomerDirectory } from './customer-directory.ts'
import type { Problem } from './http/problem.ts'
import type { OperatorLimit } from './operator-limit.ts'
import type { NamePerson } from './person-names.ts'
import type { Approval, RecordAnswer } from './record-answer.ts'
import type { Settings } from './settings.ts'
import type { SignedIn } from './sign-in/signed-in.ts'

/** The parts that handlers use. */
export interface Parts extends Issuing {
  readonly provider: Provider
  readonly settings: Settings
  readonly audit: Audit
  readonly directory: CustomerDirectory
  readonly nameOf: NamePerson
  /** Comes before `issue`: each request makes an entry of the audit, also one that is never used. */
  readonly limitIssues: OperatorLimit
  /** Comes before `preview`: the rule of the deployment may cost. */
  readonly limitPreviews: OperatorLimit
  /** The same for the strip, which asks on every page: the form has its questions left. */
  readonly limitStripPreviews: OperatorLimit
  readonly refusals: Refusals
  readonly gate: Gate
  /** Aborts when the console closes: streams end, and no new ones begin. */
  readonly closing: AbortSignal
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number
}

/** A person with a role who calls. */
export interface Caller extends SignedIn {
  readonly role: Role
}

/** A request of a person who was let in. @typeParam P the parts that handlers use */
export type CallOf<P, Person> = P & {
  readonly ctx: Context
  readonly caller: Person
  /** The caller's, a BCP 47 tag. */
  readonly language: string
  /** A parameter of the path. */
  param(name: string): string
  /** Reads the body: JSON, or the fields of a form. */
  input(): Promise<unknown>
  /** Finds the caller again. It rejects if the caller may not use the route any more. */
  findAgain(): Promise<Person>
}

/** A request of a person of the support. */
export type Call = CallOf<Parts, Caller>

/** With the parameters of a page. */
export type WithQuery<E extends ObjectEntries, C = Call> = C & { readonly query: Read<E> }

/** With the members of a body. */
export type WithBody<E extends ObjectEntries, C = Call> = C & { readonly body: Read<E> }

/** A request of a customer. */
export type CustomerCall = CallOf<Pick<Parts, 'audit' | 'now' | 'provider' | 'settings'>, SignedIn>

/** The request of an operator, as the provider gets it. */
export interface AskedFor {
  readonly application: Application
  readonly customer: Customer
  readonly request: SubjectTokenRequest & {
    readonly mayAct: { readonly sub: string; readonly clientId: string }
    readonly resource: string
    readonly scope: string
  }
}

/** The approvals that a rule needs before a start. */
export interface MissingApproval {
  readonly by: readonly Need[]
  readonly emergency?: true | undefined
}

/** Checks of records before a start, beside the rule of the deployment. */
export interface Gate {
  readonly hasPermits: boolean
  /** Finds what keeps the caller from starting as this customer. */
  findStop(call: Call, customer: string): Promise<RecordAnswer | undefined>
  /** Makes the problem with which a request is refused. */
  stoppedProblem(stop: RecordAnswer): Problem
  /**
   * Issues a subject token. A refusal says what the operator can do about it.
   *
   * @param why it cannot wait for an approval: that is stored first
   */
  issue(
    call: Call,
    asked: AskedFor,
    body: ActBody,
    why: string | undefined,
  ): ReturnType<Issuing['issue']>
  /** Finds what the rule needs, and who can give it, for the operator. Resolves `undefined` without permits. */
  findApproval(
    call: Call,
    asked: AskedFor,
    body: ActBody,
    needed: MissingApproval,
  ): Promise<Approval | undefined>
  /** Takes back the emergencies of others among these, and ends what runs under them: a lead ends a start. */
  revokeEmergencies(call: Call, ids: readonly string[]): Promise<void>
}
