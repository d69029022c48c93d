import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Middleware } from 'koa'
import type { Provider, RequestListener } from 'oidc-provider-impersonation'
import { findAccount, requestListener, signCheckpoint } from 'oidc-provider-impersonation/siblings'
import type { ToldRequest } from 'oidc-provider-impersonation-verify/format'
import { reasonOf } from 'oidc-provider-impersonation-verify/format'
import { accountApi } from './api/account/api.ts'
import { consoleApi } from './api/console/router.ts'
import { type TakeUses, type TakeUsesOptions, takeUses } from './api/console/take-uses.ts'
import { customerDirectory } from './api/customer-directory.ts'
import { issuePreviewer, subjectTokenIssuer } from './api/issue.ts'
import { operatorLimit } from './api/operator-limit.ts'
import type { Parts } from './api/parts.ts'
import { personNames } from './api/person-names.ts'
import {
  accountLookUp,
  type RecordRefusal,
  recordRefusalBy,
  refusalRecorder,
} from './api/refusals.ts'
import type { SignCheckpoint } from './audit/keeping/checkpoint.ts'
import type { DataRequest, ErasedCounts } from './audit/keeping/erase.ts'
import { startRetention } from './audit/keeping/retention.ts'
import { log } from './audit/log-line.ts'
import { createAudit } from './audit/recording/audit.ts'
import { backPressure } from './audit/recording/back-pressure.ts'
import { impersonationShownTo } from './audit/recording/impersonated-token.ts'
import { personalData } from './audit/recording/personal-data.ts'
import { recordEvents } from './audit/recording/provider-events.ts'
import { startReconciliation } from './audit/recording/reconciliation.ts'
import { useRecorder } from './audit/recording/uses.ts'
import { answerProblems } from './http/problem.ts'
import { backPressurePaths, below, clientChecks, inOrder, pages } from './middleware.ts'
import { noticeMark, startNotices } from './notices/start.ts'
import type { SupportConsoleOptions } from './options.ts'
import { permitsContext } from './permits/context.ts'
import { deciders } from './permits/deciders.ts'
import type { Resuming } from './permits/options.ts'
import { type PauseFilter, pausesOf } from './permits/pauses.ts'
import type { Pause } from './permits/permit.ts'
import { settingsOf } from './settings.ts'
import { checkSetUp } from './sign-in/check-set-up.ts'
import { findRole } from './sign-in/roles.ts'
import { signedInTo } from './sign-in/signed-in.ts'

export type {
  AlarmKind,
  AuditEntry,
  AuditPerson,
  AuditRow,
  ChainHead,
  Outcome,
  RemovedFrom,
} from 'oidc-provider-impersonation-verify/format'
export type { TakeUses, TakeUsesOptions } from './api/console/take-uses.ts'
export type { RecordRefusal, Refusal } from './api/refusals.ts'
export type { Batch, NewRecord, Repetition } from './audit/batch.ts'
export type { DataRequest, ErasedCounts } from './audit/keeping/erase.ts'
export { type InForce, InForceError, type InForceReason } from './audit/keeping/in-force.ts'
export type { Alarm } from './audit/recording/alarms.ts'
export type { AuditStore, FiledRow, RowFilter, RowPage, StoredEntry } from './audit/store.ts'
export { customerAccountClient, type PageClientOptions, supportConsoleClient } from './clients.ts'
export type { Notice, NoticeKind, NoticesOptions } from './notice.ts'
export type {
  Application,
  Customer,
  Customers,
  DescribedUse,
  Role,
  SearchResult,
  SupportConsoleOptions,
  UseInWords,
} from './options.ts'
export { PermitError } from './permits/errors.ts'
export type {
  Approver,
  AttachOptions,
  PermitRequest,
  Permits,
  PermitsOptions,
  Resuming,
  Saying,
  Standing,
  StandingAnswer,
  StandingChoice,
} from './permits/options.ts'
export type { Pause, Permit, PermitRefusal } from './permits/permit.ts'
export { createPermits } from './permits/permits.ts'
export type { Sentences } from './words/sentence.ts'

/**
 * The console as Koa middleware. It goes before the provider: it keeps an event from being lost while
 * the audit cannot be stored. It answers below its paths, and passes other requests on.
 */
export interface SupportConsole extends Middleware {
  /** The same as a request listener: for Express, Connect, NestJS and Node's own server. */
  callback(): RequestListener
  /** For guards of APIs in this process: `resourceServer({ onImpersonatedRequest })`. */
  readonly onImpersonatedRequest: (use: ToldRequest) => Promise<void>
  /**
   * Takes what guards of APIs in other processes tell: docs/recording-uses.md. Mount what it returns beside
   * the console.
   *
   * @throws TypeError with the path of an option that is unknown or wrong
   */
  takeUses(options: TakeUsesOptions): TakeUses
  /** Records what a backend of the deployment refused before the provider received it. */
  readonly recordRefusal: RecordRefusal
  /**
   * All that the audit has of a customer, as JSON Lines in parts, for an answer to their right of access:
   * each impersonation and refused request with its entries, then each permit about them. An entry
   * `support.exported` comes first. What is another customer's by its entries is left out.
   *
   * @throws TypeError for an id that is no text, or an empty one
   * @throws InForceError after the last line where something was left out: somebody changed the storage
   * @throws Error where the entry is not stored, or the storage fails
   */
  exportOf(customerId: string, request?: DataRequest): AsyncIterable<string>
  /**
   * Erases what the audit has of a customer: rows, permits, and the texts of their entries. Digests stay,
   * and an entry `support.erased` says which. It can be called again, also after it was interrupted. What
   * is recorded later is kept.
   *
   * @returns how many this call erased
   * @throws InForceError where something is on hold or in force: nothing is erased
   * @throws TypeError for an id that is no text, or an empty one
   * @throws Error where the entry is not stored, or the storage fails: call it again
   */
  erase(customerId: string, request?: DataRequest): Promise<ErasedCounts>
  /**
   * Operators who may not start now, because a customer objected to what they did. The newest first, at most
   * 100; `next` is the `before` of the next page.
   */
  pauses(filter?: {
    readonly customer?: string
    readonly operator?: string
    readonly before?: string
  }): Promise<{ readonly pauses: readonly Pause[]; readonly next?: string }>
  /**
   * Lifts a pause: a lead who is not the operator, or with permits an approver. Without `by`, the deployment
   * itself, because there is no person who may. Who calls has authenticated the person.
   *
   * @throws PermitError 403 `access_denied` for a person who may not, 404 `not_found`, 409 `decided` where it
   * is lifted already, 503 where the storage fails
   */
  resume(id: string, saying: Resuming): Promise<Pause>
  /** Resolves when all entries so far are stored, or are known to be lost. */
  settled(): Promise<void>
  /**
   * Rejects where the storage of the audit cannot be used, or a client cannot do its part: those of the
   * pages, `issueAs`, and those of the applications.
   */
  check(): Promise<void>
  /**
   * Ends open streams, and lets no new ones begin: a server that waits for its open requests would
   * never stop. Call it when the server begins to stop.
   */
  endStreams(): void
  /** Stores the rest of the audit. Call it when the server has no more requests. */
  close(): Promise<void>
}

/** How often one operator may ask to act, in a minute. People need fewer. */
const MAX_ISSUES = 60
/** How often one operator may ask what the rule says, in a minute. */
const MAX_PREVIEWS = 60
/** How long the directory may take for the names in an entry, in milliseconds. */
const NAME_TIMEOUT_MS = 500

/**
 * The support console: operators act as customers, leads see and end what runs, auditors read who did
 * what and why. It records the events of the provider from now on.
 *
 * @throws TypeError with the dotted path of an option that is unknown or wrong
 */
export function supportConsole(provider: Provider, options: SupportConsoleOptions): SupportConsole {
  const settings = settingsOf(provider, options)
  const { path, url, clientId, account, notices, onAlarm } = settings
  const timeoutMs = settings.auditTimeout * 1000
  const closing = new AbortController()
  const directory = customerDirectory(settings, settings.languages.preferred)
  const nameOf = personNames(provider, directory)
  const sign: SignCheckpoint = (claims) => signCheckpoint(provider, claims)
  const audit = createAudit(settings.audit, {
    nameOf,
    nameTimeoutMs: Math.min(NAME_TIMEOUT_MS, timeoutMs / 4),
    slow: timeoutMs,
    sign,
    onAlarm,
    notify: notices && noticeMark(notices),
    urlOf: (row) => `${url}${path}/audit/${row}`,
  })
  const { store } = audit
  recordEvents(provider, audit, settings.auditTimeout)
  const retention = startRetention(store, { sign })
  const reconciliation = startReconciliation(provider, store, audit)
  const isLead = async (accountId: string) => {
    const account = await findAccount(provider, accountId)
    return account !== undefined && (await findRole(account, settings)) === 'lead'
  }
  const { permits } = settings
  permits?.attach(provider, {
    ...{ nameOf, issueAs: settings.issueAs, notify: notices?.when, mayApprove: isLead },
  })
  const pausing = permitsContext({ store, now: () => Date.now(), timeoutMs })
  pausing.attach(provider, { nameOf })
  const leads = deciders({ mayApprove: () => isLead, timeoutMs })
  const ownPauses = pausesOf(pausing.context, leads.assertMay)
  const resume: SupportConsole['resume'] = (id, saying) => (permits ?? ownPauses).resume(id, saying)
  const outbox = startNotices({
    ...{ provider, settings, audit, directory, decide: pausing.context.decide },
  })
  const parts: Parts = {
    provider,
    settings,
    audit: { store, recorder: audit, changes: audit.changes },
    directory,
    nameOf,
    issue: subjectTokenIssuer(provider, settings),
    preview: issuePreviewer(provider, settings),
    limitIssues: operatorLimit(
      MAX_ISSUES,
      60,
      (operator, seconds) =>
        `support console: ${operator} asked ${MAX_ISSUES} times in a minute to act; not again for ${seconds} s`,
    ),
    limitPreviews: operatorLimit(
      MAX_PREVIEWS,
      60,
      (operator, seconds) =>
        `support console: ${operator} asks the rule too often: the next question in ${seconds} s`,
    ),
    pauses: { ...ownPauses, resume },
    refusals: refusalRecorder(audit.record, accountLookUp(provider)),
    closing: closing.signal,
    now: () => Date.now(),
  }
  const checkClients = clientChecks(provider, settings)
  store.open().catch((error: unknown) => log(`the storage cannot be used: ${reasonOf(error)}`))

  const middleware: Middleware = inOrder(
    backPressure(
      audit,
      backPressurePaths(provider, settings),
      timeoutMs,
      impersonationShownTo(provider),
    ),
    ...checkClients.map(({ at, check }) =>
      below(at, answerProblems('support console'), async (_ctx, next) => {
        await check()
        await next()
      }),
    ),
    consoleApi(parts, signedInTo(provider, clientId)),
    ...(account ? [accountApi(parts, account, signedInTo(provider, account.clientId))] : []),
    ...pages(provider, settings),
  )
  return Object.assign(middleware, {
    ...personalData(audit, {
      sign,
      isKept: async (id) => (await provider.impersonation.get(id)) !== undefined,
      hasAccount: async (id) => (await findAccount(provider, id)) !== undefined,
      now: parts.now,
    }),
    resume,
    pauses: (filter: PauseFilter = {}) => ownPauses.list(filter),
    callback: () => requestListener(middleware, provider),
    onImpersonatedRequest: useRecorder(audit),
    takeUses: (senders: TakeUsesOptions) => takeUses(provider, parts, senders),
    recordRefusal: recordRefusalBy(provider, settings, parts.refusals),
    settled: audit.settled,
    async check() {
      await store.open()
      await checkSetUp(provider, settings, checkClients)
    },
    endStreams: () => closing.abort(),
    async close() {
      closing.abort()
      // The provider emits events in the turn after its answer.
      await nextTurn()
      await retention.stop()
      await reconciliation.stop()
      await outbox?.stop()
      await audit.close()
    },
  })
}
