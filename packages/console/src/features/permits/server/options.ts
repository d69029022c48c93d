import type {
  AuthorizationRequest,
  Authorize,
  IssueOptions,
  Provider,
  SubjectTokenContext,
} from 'oidc-provider-impersonation'
import type {
  AnswerRecord,
  AuditPerson,
  Named,
  NoticeKind,
} from 'oidc-provider-impersonation-verify/format'
import type { AuditStore } from '../../../ledger/store.ts'
import type { Pause } from '../../../web/pause-answers.ts'
import type { Permit, PermitRefusal } from './permit.ts'
import type { OnPermit } from './permit-alerts.ts'
import type { RequestFacts } from './rules.ts'

/** A person who may decide. */
export interface Approver extends Named {
  /** The account id. */
  readonly id: string
}

export interface PermitsOptions {
  /** The audit that keeps the permits, and that you give to `supportConsole()`, too. */
  readonly audit: AuditStore
  /**
   * Returns the people who may decide for the second person, and lift a pause. `about` is the
   * permit or the pause. The console leaves out the operator and the customer. If it throws or
   * takes longer than `timeout`, the decision gets 503.
   * @defaultValue the leads, and no emergencies. Without the console, `attach` needs `mayApprove`
   */
  readonly approvers?:
    | ((about: Pause | Permit) => readonly Approver[] | Promise<readonly Approver[]>)
    | undefined
  /**
   * Returns the ticket of a start, or `undefined`, which no permit fits. Case and blanks do not
   * count.
   * @defaultValue `({ context }) => context.ticketId`
   */
  readonly ticketOf?: TicketOf | undefined
  /** The customer's answer for all requests. @defaultValue customers are asked each time */
  readonly standing?: StandingOptions | undefined
  /**
   * How long an approval is valid, in seconds, more than 0 and at most 86400.
   * @defaultValue `3600`
   */
  readonly window?: number | undefined
  /**
   * How long a request can be decided, in seconds, more than 0 and at most 604800.
   * @defaultValue `86400`
   */
  readonly lapse?: number | undefined
  /**
   * How long an emergency is valid, in seconds, more than 0 and at most 86400.
   * @defaultValue `600`
   */
  readonly emergency?: number | undefined
  /**
   * How long the storage or `approvers` may take, in seconds, more than 0 and at most 60.
   * @defaultValue `2`
   */
  readonly timeout?: number | undefined
  /**
   * Called for each change of a permit, as `onAlarm` is for an alarm.
   * @defaultValue nobody is told outside the console
   */
  readonly onPermit?: OnPermit | undefined
}

/** The answers that customers may give for all requests. */
export interface StandingOptions {
  /**
   * The answer before a customer has chosen. With `'rule'`, only your rule decides. With `'ask'`,
   * each request needs the customer. With `'allow'`, the need `user` is met.
   * @defaultValue `'rule'`
   */
  readonly initially?: 'allow' | 'ask' | 'rule' | undefined
}

/** Finds the ticket of a start. */
export type TicketOf = (
  request: Pick<AuthorizationRequest, 'account' | 'context'>,
) => string | undefined

/** What a customer answers for all requests: support may act without asking, or asks each time. */
export type StandingChoice = AnswerRecord['state']

/** One answer of a customer for all requests. */
export interface StandingAnswer {
  readonly id: string
  readonly customer: AuditPerson
  readonly choice: StandingChoice
  /** In milliseconds since the epoch. */
  readonly requestedAt: number
}

/** What holds for a customer now. */
export interface Standing {
  /** `'rule'`: nothing is said, and the rule alone decides. */
  readonly choice: StandingChoice | 'rule'
  /** Whether the customer said nothing yet: it is what the deployment says. */
  readonly isInitial?: true | undefined
}

export interface AttachOptions {
  /**
   * Whether every backend binds what it issues as a permit needs it, to `mayAct.sub`, `mayAct.clientId`, one
   * resource and a scope, though `managementApi.requireBinding` does not insist: there is no warning then. The
   * console does.
   */
  readonly isBound?: boolean | undefined
  /** The client for which the rule is asked before a request: one of `managementApi.clients.issue`. */
  readonly issueAs?: string | undefined
  /** Whether a person may decide for the second person: asked where there are no `approvers`. */
  readonly mayApprove?: ((accountId: string) => boolean | Promise<boolean>) | undefined
  /** Names a person, for the entries. */
  readonly nameOf?:
    | ((accountId: string) => Named | undefined | Promise<Named | undefined>)
    | undefined
  /** The page of a permit, for `onPermit`: the console says it. */
  readonly urlOf?: ((permit: string) => string) | undefined
  /** What customers are told from now on: a console with `notices` says it. @defaultValue none */
  readonly notify?: readonly NoticeKind[] | undefined
}

/** What an operator asks for. Who calls has authenticated the operator, and no impersonation. */
export interface PermitRequest extends RequestFacts {
  readonly ticket: string
  readonly reason: string
  /** How long each impersonation under it lasts at most, in seconds: shown to who decides. */
  readonly duration?: number | undefined
  /**
   * The `context` with which the start will be asked for: the rule is asked with it.
   * @defaultValue `{ ticketId: ticket, reason }`, and `duration` where there is one
   */
  readonly context?: SubjectTokenContext | undefined
}

/** The request that is answered: the rule sees it. */
export type AskHow = Pick<IssueOptions, 'ctx'>

/** Who decides, and what they say about it. Who calls has authenticated the person, and no impersonation. */
export interface Saying {
  /** The account id. */
  readonly by: string
  /** At most 1,000 characters. */
  readonly note?: string | undefined
}

export interface PauseFilter {
  /** Account ids. */
  readonly customer?: string | undefined
  readonly operator?: string | undefined
  /** The `next` of the page before. */
  readonly before?: string | undefined
}

export interface PausePage {
  readonly pauses: readonly Pause[]
  readonly next?: string
}

/** Who lifts a pause, and what they found. */
export interface Resuming {
  /** The account id. Absent where the deployment lifts it itself, because there is no person who may. */
  readonly by?: string | undefined
  /** 1 to 1,000 characters. */
  readonly note: string
}

/**
 * Permits: an approval by a second person, or by the customer, before an impersonation. Every method
 * rejects with a {@link PermitError}: nothing was changed then.
 */
export interface Permits {
  /** The rule, with what is permitted: `authorize: permits.wrap(rule)`. */
  wrap(rule: Authorize): Authorize
  /**
   * Begins, once the provider exists. It also ends, every few seconds, what runs under permits that
   * another process revoked before it was killed. A warning with the code `PERMITS_UNBOUND` says at the first
   * time where `managementApi.requireBinding` lets requests through that no permit can fit.
   *
   * @throws TypeError where the provider cannot end impersonations, or it is not said who may approve
   */
  attach(provider: Provider, options?: AttachOptions): void
  /** Whether `approvers` are given: without them, there is no emergency. */
  readonly hasApprovers: boolean
  /** Whether customers may answer for all requests. */
  readonly hasStanding: boolean
  /** Where permits are kept. */
  readonly audit: AuditStore
  /** Asks for the approvals that the rule needs: it is asked first. */
  request(request: PermitRequest, how?: AskHow): Promise<Permit>
  /** Acts without an approval, where the rule allows it: an approver reviews it afterwards. */
  emergency(request: PermitRequest, how?: AskHow): Promise<Permit>
  /** Meets a need: the customer's own where the customer says it, else the second person's. */
  grant(id: string, saying: Saying): Promise<Permit>
  /**
   * Says no. A customer's no holds for a day, for each ticket. An approver's keeps from an emergency of the same
   * ticket for a day, and from no request.
   */
  refuse(id: string, saying: Saying): Promise<Permit>
  /** What else was refused to the same operator for the same customer and application, and still holds. */
  refusals(permit: Permit): Promise<readonly PermitRefusal[]>
  /** Takes it back, and ends what runs under it: an approver, the customer, or who asked for it. */
  revoke(id: string, saying: Saying): Promise<Permit>
  /** An approver who is not the operator says that an emergency was looked at. */
  review(id: string, saying: Saying & { readonly note: string }): Promise<Permit>
  get(id: string): Promise<Permit | undefined>
  /** The newest first, at most 100; `next` is the `before` of the next page, and absent at the end. */
  list(filter?: {
    readonly customer?: string
    readonly operator?: string
    /** Only what can still be decided, is in its window, is to be reviewed, or is a refusal that holds. */
    readonly isOpen?: true
    /** Only requests that can still be decided. */
    readonly isAwaited?: true
    /** Only emergencies that an approver has not looked at. */
    readonly isReviewDue?: true
    readonly before?: string
  }): Promise<{ readonly permits: readonly Permit[]; readonly next?: string }>
  /**
   * Who could decide now: without who asks and the customer. `undefined` where there are no `approvers`:
   * `mayApprove` says who may.
   */
  findApprovers(about: Pause | Permit): Promise<readonly Approver[] | undefined>
  /** Operators who may not start now. The newest first, at most 100; `next` is the `before` of the next page. */
  pauses(filter?: PauseFilter): Promise<PausePage>
  /** Lifts a pause: an approver who is not the operator. Without `by`, the deployment itself. */
  resume(id: string, saying: Resuming): Promise<Pause>
  /** An answer of a customer for all requests, by its id: impersonations that it allowed have it. */
  getAnswer(id: string): Promise<StandingAnswer | undefined>
  /** What the customer answered for all requests. */
  standing(customer: string): Promise<Standing>
  /**
   * The customer's answer for all requests. `ask` takes back all that the customer allowed, and ends
   * what is issued or runs and would not start any more, whoever allowed it. Who calls has authenticated the customer, and no impersonation.
   */
  setStanding(customer: string, choice: StandingChoice): Promise<Standing>
  /**
   * Stops what `attach` began. The audit is closed by who opened it. `supportConsole().close()` does both, of
   * the permits that the console was given.
   */
  close(): Promise<void>
}
