import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Middleware } from 'koa'
import type { Provider, RequestListener } from 'oidc-provider-impersonation'
import type { ImpersonationUse } from 'oidc-provider-impersonation/resource-server'
import { requestListener } from '#glue/request-listener'
import { accountApi } from './api/account/api.ts'
import { consoleApi } from './api/console/router.ts'
import { type TakeUses, type TakeUsesOptions, takeUses } from './api/console/take-uses.ts'
import { customerDirectory } from './api/customer-directory.ts'
import { subjectTokenIssuer } from './api/issue.ts'
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
import { startRetention } from './audit/keeping/retention.ts'
import { log } from './audit/log-line.ts'
import { createAudit } from './audit/recording/audit.ts'
import { backPressure } from './audit/recording/back-pressure.ts'
import { impersonationShownTo } from './audit/recording/impersonated-token.ts'
import { recordEvents } from './audit/recording/provider-events.ts'
import { startReconciliation } from './audit/recording/reconciliation.ts'
import { useRecorder } from './audit/recording/uses.ts'
import { answerProblems } from './http/problem.ts'
import type { SupportConsoleOptions } from './options.ts'
import { handOverPages } from './page/hand-over-page.ts'
import { accountPages, consolePages } from './page/pages.ts'
import { reasonOf } from './reason.ts'
import { type Settings, settingsOf } from './settings.ts'
import { knownClient } from './sign-in/known-client.ts'
import { signedInTo } from './sign-in/signed-in.ts'

export type { TakeUses, TakeUsesOptions } from './api/console/take-uses.ts'
export type { RecordRefusal, Refusal } from './api/refusals.ts'
export type { Batch, NewRecord, Repetition } from './audit/batch.ts'
export type { AuditEntry } from './audit/entry.ts'
export type { Alarm } from './audit/recording/alarms.ts'
export type { AlarmKind, AuditPerson, AuditRow, Outcome } from './audit/row.ts'
export type {
  AuditStore,
  ChainHead,
  FiledRow,
  RemovedFrom,
  RowFilter,
  RowPage,
  StoredEntry,
} from './audit/store.ts'
export { customerAccountClient, type PageClientOptions, supportConsoleClient } from './clients.ts'
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
export type { Approver, PermitRequest, Permits, PermitsOptions, Saying } from './permits/options.ts'
export type { Permit } from './permits/permit.ts'
export { createPermits } from './permits/permits.ts'

/**
 * The console as Koa middleware. It goes before the provider: it keeps an event from being lost while
 * the audit cannot be stored. It answers below its paths, and passes other requests on.
 */
export interface SupportConsole extends Middleware {
  /** The same as a request listener: for Express, Connect, NestJS and Node's own server. */
  callback(): RequestListener
  /** For guards of APIs in this process: `resourceServer({ onImpersonatedRequest })`. */
  readonly onImpersonatedRequest: (use: ImpersonationUse) => Promise<void>
  /**
   * Takes what guards of APIs in other processes tell: docs/recording-uses.md. Mount what it returns beside
   * the console.
   *
   * @throws TypeError with the path of an option that is unknown or wrong
   */
  takeUses(options: TakeUsesOptions): TakeUses
  /** Records what a backend of the deployment refused before the provider received it. */
  readonly recordRefusal: RecordRefusal
  /** Resolves when all entries so far are stored, or are known to be lost. */
  settled(): Promise<void>
  /** Rejects where the storage of the audit cannot be used, or a client is not set up. */
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
  const { path, url, clientId, account, onAlarm } = settings
  const timeoutMs = settings.auditTimeout * 1000
  const closing = new AbortController()
  const directory = customerDirectory(settings, settings.language)
  const nameOf = personNames(provider, directory)
  const sign: SignCheckpoint = (claims) => provider.impersonation.signCheckpoint(claims)
  const audit = createAudit(settings.audit, {
    nameOf,
    nameTimeoutMs: Math.min(NAME_TIMEOUT_MS, timeoutMs / 4),
    slow: timeoutMs,
    sign,
    onAlarm,
    urlOf: (row) => `${url}${path}/audit/${row}`,
  })
  const { store } = audit
  recordEvents(provider, audit, settings.auditTimeout)
  const retention = startRetention(store, { sign })
  const reconciliation = startReconciliation(provider, store, audit)
  const parts: Parts = {
    provider,
    settings,
    audit: { store, recorder: audit, changes: audit.changes },
    directory,
    nameOf,
    issue: subjectTokenIssuer(provider, settings),
    limitIssues: operatorLimit(
      MAX_ISSUES,
      60,
      (operator, seconds) =>
        `support console: ${operator} asked ${MAX_ISSUES} times in a minute to act; not again for ${seconds} s`,
    ),
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
    callback: () => requestListener(middleware, provider),
    onImpersonatedRequest: useRecorder(audit),
    takeUses: (senders: TakeUsesOptions) => takeUses(provider, parts, senders),
    recordRefusal: recordRefusalBy(provider, settings, parts.refusals),
    settled: audit.settled,
    async check() {
      await store.open()
      for (const { check } of checkClients) await check()
    },
    endStreams: () => closing.abort(),
    async close() {
      closing.abort()
      // The provider emits events in the turn after its answer.
      await nextTurn()
      await retention.stop()
      await reconciliation.stop()
      await audit.close()
    },
  })
}

/** For the path of each page, whether the provider knows its client. */
function clientChecks(provider: Provider, { url, path, clientId, account }: Settings) {
  const all = [
    { at: 'options.clientId', path, clientId, make: 'supportConsoleClient' },
    ...(account
      ? [{ ...account, at: 'options.account.clientId', make: 'customerAccountClient' }]
      : []),
  ]
  return all.map((page) => ({
    at: page.path,
    check: knownClient(provider, { ...page, redirectUri: `${url}${page.path}/callback` }),
  }))
}

function pages(provider: Provider, settings: Settings): Middleware[] {
  const { path, clientId, account, language, applications } = settings
  return [
    handOverPages({ provider, path, applications, language }),
    consolePages({ provider, path, clientId, language }),
    ...(account
      ? [accountPages({ provider, language, path: account.path, clientId: account.clientId })]
      : []),
  ]
}

/** The paths whose requests make entries. */
function backPressurePaths(provider: Provider, { apis }: Settings) {
  const mountPath = new URL(provider.issuer).pathname.replace(/\/$/, '')
  return {
    token: provider.pathFor('token', { mountPath }),
    apis,
  }
}

/** Runs only for the page at this path, and what is below it. */
function below(path: string, ...all: readonly Middleware[]): Middleware {
  const answer = inOrder(...all)
  return (ctx, next) =>
    ctx.path === path || ctx.path.startsWith(`${path}/`) ? answer(ctx, next) : next()
}

function inOrder(...all: readonly Middleware[]): Middleware {
  return (ctx, next) =>
    all.reduceRight<() => Promise<unknown>>((then, one) => async () => one(ctx, then), next)()
}
