import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Middleware } from 'koa'
import type { Provider, RequestListener } from 'oidc-provider-impersonation'
import { answersFollowed, findAccount, requestListener } from 'oidc-provider-impersonation/siblings'
import type { ToldRequest } from 'oidc-provider-impersonation-verify/format'
import { reasonOf } from 'oidc-provider-impersonation-verify/format'
import { accountSite } from './account-site.tsx'
import { consoleSite } from './console-site.ts'
import { alarmsToTell } from './features/alarms/server/alarms.ts'
import {
  type TakeUses,
  type TakeUsesOptions,
  takeUses,
  useRecorder,
} from './features/impersonations/server/uses.ts'
import { startNotices, toldOfStarts } from './features/notices/server/start.ts'
import { permitGate } from './features/permits/server/approval.ts'
import { erasureRecords } from './features/personal-data/server/api.ts'
import type { DataRequest, ErasedCounts } from './features/personal-data/server/erase.ts'
import { personalData } from './features/personal-data/server/personal-data.ts'
import { log } from './kernel/log-line.ts'
import { startRetention } from './ledger/keeping/retention.ts'
import { startOutbox } from './ledger/outbox/outbox.ts'
import { createAudit, recordEvents } from './ledger/recording/audit.ts'
import { startReconciliation } from './ledger/recording/reconciliation.ts'
import type { SupportConsoleOptions } from './options.ts'
import type { Stop } from './records/record-at.ts'
import { createRecords, type Saying } from './records/records.ts'
import { settingsOf } from './settings.ts'
import { issuingBy } from './web/acting/issue.ts'
import { type RecordRefusal, refusalRecorder } from './web/acting/refusals.ts'
import { customerDirectory } from './web/customer-directory.ts'
import { operatorLimit } from './web/operator-limit.ts'
import { personNames } from './web/person-names.ts'
import { findMayErase, findRole } from './web/sign-in/roles.ts'
import { checkSetUp } from './web/sign-in/set-up.ts'

export type { StoredRow } from 'oidc-provider-impersonation-verify/chain'
export type {
  AlarmKind,
  AuditEntry,
  AuditPerson,
  AuditRow,
  Outcome,
  RecordState,
  StoredRecord,
} from 'oidc-provider-impersonation-verify/format'
export type { Alarm, OnAlarm } from './features/alarms/server/alarms.ts'
export type { TakeUses, TakeUsesOptions } from './features/impersonations/server/uses.ts'
export type {
  Mail,
  MailTransport,
  Notice,
  NoticeKind,
  NoticesOptions,
} from './features/notices/server/notice.ts'
export type {
  AttachOptions,
  PermitRequest,
  Permits,
  PermitsOptions,
  StandingOptions,
} from './features/permits/server/options.ts'
export type { OnPermit, PermitAlert } from './features/permits/server/permit-alerts.ts'
export { createPermits } from './features/permits/server/permits.ts'
export type { DataRequest, ErasedCounts } from './features/personal-data/server/erase.ts'
export {
  type InForce,
  InForceError,
  type InForceReason,
} from './features/personal-data/server/in-force.ts'
export type { Role } from './kernel/roles.ts'
export type { Sentences } from './kernel/sentence.ts'
export type { PermitFilter, RowFilter } from './ledger/filters.ts'
export type {
  AuditStore,
  Batch,
  FiledEntry,
  RowPage,
  StoredEntry,
  StoredSeal,
  Written,
} from './ledger/store.ts'
export type { SupportConsoleOptions } from './options.ts'
export { PermitError } from './records/errors.ts'
export type { Permit, Shown, Standing, StandingChoice, Stop } from './records/record-at.ts'
export type { Saying } from './records/records.ts'
export type { Approver } from './records/who.ts'
export type { RecordRefusal, Refusal } from './web/acting/refusals.ts'
export type { Application } from './web/applications.ts'
export type { Brand } from './web/brand.ts'
export {
  customerAccountClient,
  type PageClientOptions,
  supportConsoleClient,
} from './web/clients.ts'
export type { Customer, Customers, SearchResult } from './web/customer-directory.ts'
export type { AccountOptions } from './web/settings.ts'
export type { TicketOptions } from './web/ticket.ts'
export type { DescribedUse, UseInWords } from './web/use-words.ts'

/**
 * The console as Koa middleware. It answers below its paths, and passes other requests on.
 */
export interface SupportConsole extends Middleware {
  /** The same as a request listener: for Express, Connect, NestJS and Node's own server. */
  callback(): RequestListener
  /** For guards of APIs in this process: `resourceServer({ onImpersonatedRequest })`. */
  readonly onImpersonatedRequest: (use: ToldRequest) => Promise<void>
  /**
   * Returns middleware that takes the uses of guards in other processes, which run
   * examples/recording-uses/send-uses.ts. Mount it beside the console.
   *
   * @throws TypeError with the path of an option that is unknown or wrong
   */
  takeUses(options: TakeUsesOptions): TakeUses
  /** Records that a backend of yours refused an operator before the provider received the request. */
  readonly recordRefusal: RecordRefusal
  /**
   * Exports all that the audit has of a customer, as JSON Lines in parts, for their right of access:
   * each impersonation and refused request with its entries, then each permit. The audit first
   * stores an entry `support.exported`. A row whose entries name another customer is left out.
   *
   * @throws TypeError for an id that is no text, or an empty one
   * @throws InForceError after the last line, if a row was left out, because somebody changed the storage
   * @throws Error if the entry is not stored, or the storage fails
   */
  exportOf(customerId: string, request?: DataRequest): AsyncIterable<string>
  /**
   * Erases the rows and permits of a customer, and the texts of their entries. Digests stay, and an
   * entry `support.erased` lists them. You can call it again, also after it was interrupted. It keeps
   * entries that are recorded later.
   *
   * @returns how many this call erased
   * @throws InForceError if something is on hold or in force. Nothing is erased then
   * @throws TypeError for an id that is no text, or an empty one
   * @throws Error if the entry is not stored, the storage fails, or its tables were changed. Call it again
   */
  erase(customerId: string, request?: DataRequest): Promise<ErasedCounts>
  /** Lists the stops that hold, the newest first: operators who may not start. */
  stops(filter?: {
    readonly customer?: string
    readonly operator?: string
  }): Promise<readonly Stop[]>
  /**
   * Lifts a stop. `by` is a lead who is not the operator, or with permits an approver, whom you have
   * authenticated. Without `by`, the deployment lifts it.
   *
   * @throws PermitError 403 `access_denied` for a person who may not, 404 `not_found`, 409 `decided` if it
   * is lifted already, 503 if the storage fails
   */
  lift(id: string, saying: Saying & { readonly note: string }): Promise<Stop>
  /** Resolves when every entry so far is stored, or known to be lost. */
  settled(): Promise<void>
  /**
   * Rejects if the storage of the audit cannot be used, or if a client of the pages, of `issueAs` or of
   * an application cannot do its part.
   */
  check(): Promise<void>
  /**
   * Ends open streams, and lets no new ones begin. Call it when the server begins to stop. Otherwise it
   * would wait for them.
   */
  endStreams(): void
  /**
   * Stores the rest of the audit, and closes it and the `permits`. Call it when the server has no more requests.
   */
  close(): Promise<void>
}

/** The most requests to act of one operator in a minute. People need fewer. */
const MAX_ISSUES = 60
/** The most questions of one operator to the rule in a minute. */
const MAX_PREVIEWS = 60
/** The same for the strip on their pages: each page asks for what can go on. */
const MAX_STRIP_PREVIEWS = 600
/** The timeout of the directory for the names in an entry, in milliseconds. */
const NAME_TIMEOUT_MS = 500

/**
 * Creates the support console. Operators act as customers, leads see and end what runs, and auditors
 * read who did what and why. From now on it records the events of the provider.
 *
 * @throws TypeError with the dotted path of an option that is unknown or wrong
 */
export function supportConsole(provider: Provider, options: SupportConsoleOptions): SupportConsole {
  const settings = settingsOf(provider, options)
  const { path, url, account, notices, onAlarm, permits } = settings
  const timeoutMs = settings.auditTimeout * 1000
  const closing = new AbortController()
  const directory = customerDirectory(settings.customers)
  const nameOf = personNames(provider, directory, settings.languages.preferred)
  const audit = createAudit(settings.audit, provider, {
    nameOf,
    nameTimeoutMs: Math.min(NAME_TIMEOUT_MS, timeoutMs / 4),
    slow: timeoutMs,
    notify: notices && toldOfStarts(notices.when, notices.digest),
    alerts: onAlarm !== undefined,
  })
  const { store } = audit
  recordEvents(provider, audit, settings.auditTimeout)
  const retention = startRetention(store)
  const reconciliation = startReconciliation(provider, store, audit)
  const isLead = async (accountId: string) => {
    const account = await findAccount(provider, accountId)
    return (account && (await findRole(account, settings))) === 'lead'
  }
  permits?.attach(provider, {
    nameOf,
    issueAs: settings.issueAs,
    notify: notices?.when,
    isLead,
    isBound: true,
    urlOf: (permit) => `${url}${path}/records/${permit}`,
  })
  const now = () => Date.now()
  const records = permits?.records ?? createRecords({ audit: settings.audit, now, timeoutMs })
  if (!permits) records.attach(provider, { nameOf, isLead, notify: notices?.when })
  const outbox = startNotices({
    provider,
    settings,
    notices,
    audit,
    directory,
    now,
  })
  const alerts =
    onAlarm &&
    startOutbox({
      recorder: audit,
      to: 'deployment',
      who: 'leads',
      sources: [alarmsToTell(store, onAlarm, (row) => `${url}${path}/audit/${row}`)],
    })
  const ofPerson = personalData(audit, {
    isKept: async (id) => (await provider.impersonation.get(id)) !== undefined,
    hasAccount: async (id) => (await findAccount(provider, id)) !== undefined,
    async mayErase(id) {
      const account = await findAccount(provider, id)
      return account !== undefined && findMayErase(account, settings)
    },
    now,
    decide: records.decisions,
  })
  const erasures = erasureRecords(ofPerson)
  const ofRecords = {
    permits,
    records,
    erasures,
    answer: permits?.hasStanding ? permits.answer : undefined,
  }
  const parts = {
    ...ofRecords,
    personalData: ofPerson,
    gate: permitGate(ofRecords),
    provider,
    settings,
    audit,
    directory,
    nameOf,
    ...issuingBy(provider, settings.issueAs),
    limitIssues: operatorLimit(MAX_ISSUES, 60, 'asked to act'),
    limitPreviews: operatorLimit(MAX_PREVIEWS, 60, 'asked the rule'),
    limitStripPreviews: operatorLimit(MAX_STRIP_PREVIEWS, 60),
    refusals: refusalRecorder(provider, settings, audit.record),
    closing: closing.signal,
    now,
  }
  store.open().catch((error: unknown) => log(`the storage cannot be used: ${reasonOf(error)}`))

  const staff = consoleSite(parts)
  const own = account && accountSite(parts, account)
  const middleware: Middleware = (ctx, next) =>
    staff.middleware(ctx, async () => (own ? own.middleware(ctx, next) : next()))
  return Object.assign(middleware, {
    exportOf: ofPerson.exportOf,
    erase: ofPerson.erase,
    stops: records.stops,
    lift: records.lift,
    callback: () => requestListener(middleware, provider),
    onImpersonatedRequest: useRecorder(audit),
    takeUses: (senders: TakeUsesOptions) => takeUses(provider, parts, senders),
    recordRefusal: parts.refusals.ofBackend,
    settled: audit.settled,
    async check() {
      await store.open()
      await audit.seals.assertSeals()
      await checkSetUp(provider, settings, [staff.client, ...(own ? [own.client] : [])])
    },
    endStreams: () => closing.abort(),
    async close() {
      closing.abort()
      // The provider emits events in the turn after its answer, and ends what was replayed.
      await answersFollowed(provider)
      await nextTurn()
      await retention.stop()
      void reconciliation.stop()
      await outbox?.stop()
      await alerts?.stop()
      await (permits ?? records).close()
      await audit.close()
    },
  })
}
