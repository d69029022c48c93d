import type {
  AuthorizationRequest,
  Authorize,
  IssueOptions,
  Provider,
  SubjectTokenContext,
} from 'oidc-provider-impersonation'
import type { RecordKind, SaidEvent } from 'oidc-provider-impersonation-verify/format'
import type { AuditStore } from '../../../ledger/store.ts'
import type { Permit, Shown, Standing, StandingChoice, Stop } from '../../../records/record-at.ts'
import type { RecordsAttached, Saying, Stopping } from '../../../records/records.ts'
import type { FindApprovers } from '../../../records/who.ts'
import type { OnPermit } from './permit-alerts.ts'

export interface PermitsOptions {
  /** The audit that keeps the permits, and that you give to `supportConsole()`, too. */
  readonly audit: AuditStore
  /**
   * Returns the people who may decide for the second person, and lift a stop. `about` is the
   * permit or the stop: see its `kind`. The console leaves out the operator and the customer. If it throws or
   * takes longer than `timeout`, the decision gets 503.
   * @defaultValue the leads, and no emergencies. Without the console, `attach` needs `isLead`
   */
  readonly approvers?: FindApprovers | undefined
  /**
   * Returns the ticket of a start, or `undefined`, which no permit fits. Case and blanks do not
   * count.
   * @defaultValue `({ context }) => context.ticketId`
   */
  readonly ticketOf?: TicketOf | undefined
  /** The customer's answer for all requests. @defaultValue customers are asked each time */
  readonly standing?: StandingOptions | undefined
  /**
   * The lifetime of an approval, in seconds, more than 0 and at most 86400.
   * @defaultValue `3600`
   */
  readonly window?: number | undefined
  /**
   * The time to decide on a request, in seconds, more than 0 and at most 604800.
   * @defaultValue `86400`
   */
  readonly lapse?: number | undefined
  /**
   * The timeout of the storage and of `approvers`, in seconds, more than 0 and at most 60.
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

export interface AttachOptions extends RecordsAttached {
  /**
   * `true` if every backend binds what it issues as a permit needs it, to `mayAct.sub`, `mayAct.clientId`, one
   * resource and a scope, though `managementApi.requireBinding` does not insist: there is no warning then. The
   * console does.
   */
  readonly isBound?: boolean | undefined
  /** The client for which the rule is asked before a request: one of `managementApi.clients.issue`. */
  readonly issueAs?: string | undefined
  /** The page of a permit, for `onPermit`: the console says it. */
  readonly urlOf?: ((permit: string) => string) | undefined
}

/** The facts of a request for a permit. */
export interface RequestFacts {
  /** Account ids. */
  readonly customer: string
  readonly operator: string
  /** The client id. */
  readonly application: string
  readonly resource: string
  /** The scopes, with a space between them. */
  readonly scope: string
}

/** The request of an operator. Who calls has authenticated the operator, and no impersonation. */
export interface PermitRequest extends RequestFacts {
  readonly ticket: string
  readonly reason: string
  /** Of an emergency: why it cannot wait. */
  readonly why?: string | undefined
  /** The longest impersonation under it, in seconds: shown to who decides. */
  readonly duration?: number | undefined
  /**
   * The `context` with which the start will be asked for: the rule is asked with it.
   * @defaultValue `{ ticketId: ticket, reason }`, and `duration` where there is one
   */
  readonly context?: SubjectTokenContext | undefined
}

/** The request that is answered: the rule sees it. */
export type AskHow = Pick<IssueOptions, 'ctx'>

/** Records that match all given members. */
export interface RecordFilter {
  /** Account ids. */
  readonly customer?: string | undefined
  readonly operator?: string | undefined
  readonly kind?: RecordKind | undefined
  /** Only what waits, is in force, or still stands in the way. */
  readonly isOpen?: true | undefined
  /** The `next` of the page before. */
  readonly before?: string | undefined
}

/**
 * Permits: an approval by a second person, or by the customer, before an impersonation. Every method
 * rejects with a {@link PermitError}: nothing was changed then.
 */
export interface Permits {
  /** The rule, with what is permitted: `authorize: permits.wrap(rule)`. */
  wrap(rule: Authorize): Authorize
  /**
   * Begins, once the provider exists. It also ends, every few seconds, what another process decided to end
   * before it was killed. A warning with the code `PERMITS_UNBOUND` says at the first
   * time where `managementApi.requireBinding` lets requests through that no permit can fit.
   *
   * @throws TypeError where the provider cannot end impersonations, or it is not said who may approve
   */
  attach(provider: Provider, options?: AttachOptions): void
  /** Asks for the approvals that the rule needs: it is asked first. */
  request(request: PermitRequest, how?: AskHow): Promise<Permit>
  /** Acts without an approval, where the rule allows it: an approver reviews it afterwards. */
  emergency(request: PermitRequest & { readonly why: string }, how?: AskHow): Promise<Permit>
  /**
   * Says something of a record: `granted` and `declined` are about the customer's own need where the customer
   * says it, else about the second person's; `revoked` ends what runs under it; `reviewed` is said of an emergency,
   * with a note.
   */
  decide(id: string, event: SaidEvent, saying: Saying): Promise<Shown>
  get(id: string): Promise<Shown | undefined>
  /** The newest first, at most 100; `next` is the `before` of the next page, and absent at the end. */
  list(
    filter?: RecordFilter,
  ): Promise<{ readonly records: readonly Shown[]; readonly next?: string }>
  /** Finds the answer of the customer for all requests. */
  answer(customer: string): Promise<Standing>
  /**
   * The customer answers for all requests. `ask` takes back all that the customer allowed, and ends
   * what is issued or runs and would not start any more, whoever allowed it. Who calls has authenticated the customer, and no impersonation.
   */
  answer(customer: string, choice: StandingChoice): Promise<Standing>
  /**
   * Keeps an operator from starting until a person lifts it, ends what they run, and takes back what was permitted
   * to them: for one customer, who objected, or for all.
   */
  stop(stopping: Pick<Stopping, 'by' | 'customer' | 'note' | 'operator'>): Promise<Stop>
  /** Lifts a stop, with a note: an approver or a lead, who is not the operator. Without `by`, the deployment itself. */
  lift(id: string, saying: Saying & { readonly note: string }): Promise<Stop>
  /**
   * Stops what `attach` began. The audit is closed by who opened it. `supportConsole().close()` does both, of
   * the permits that the console was given.
   */
  close(): Promise<void>
}
