import { setImmediate as turn } from 'node:timers/promises'
import type { Middleware } from 'koa'
import type { Provider, RequestListener } from 'oidc-provider-impersonation'
import type { ImpersonationUse } from 'oidc-provider-impersonation/resource-server'
import { accountApi } from './account/api.ts'
import { customerDirectory } from './api/customer-directory.ts'
import { operatorLimit } from './api/operator-limit.ts'
import type { Parts } from './api/parts.ts'
import { personNames } from './api/person-names.ts'
import { type RecordRefusal, refusalRecorder, STRANGERS_WINDOW } from './api/refusals.ts'
import { consoleApi } from './api/router.ts'
import { createAudit } from './audit/audit.ts'
import { auditGate } from './audit/gate.ts'
import { tell } from './audit/log-line.ts'
import { recordEvents } from './audit/provider-events.ts'
import { startRetention } from './audit/retention.ts'
import { useRecorder } from './audit/uses.ts'
import { requestListener } from './http/callback.ts'
import { answerProblems } from './http/problem.ts'
import { subjectTokenIssuer } from './management/subject-tokens.ts'
import type { SupportConsoleOptions } from './options.ts'
import { accountPages, consolePages } from './page/pages.ts'
import { reasonOf } from './reason.ts'
import { type Settings, settingsOf } from './settings.ts'
import { knownClient } from './sign-in/known-client.ts'
import { signedInTo } from './sign-in/signed-in.ts'

export type { RecordRefusal, Refusal } from './api/refusals.ts'
export type { Alarm } from './audit/alarms.ts'
export type { AuditEntry } from './audit/entry.ts'
export type { AlarmKind, AuditPerson, AuditRow, Outcome } from './audit/row.ts'
export type {
  AuditStore,
  Batch,
  ChainHead,
  NewRecord,
  RemovedFrom,
  Repetition,
  RowFilter,
  RowPage,
  StoredEntry,
} from './audit/store.ts'
export { customerAccountClient, type PageClientOptions, supportConsoleClient } from './clients.ts'
export type {
  Application,
  Customer,
  Customers,
  Role,
  SearchResult,
  SupportConsoleOptions,
  ToldUse,
  UseInWords,
} from './options.ts'

/**
 * The console as Koa middleware. It goes before the provider: it keeps an event from being lost while
 * the audit cannot be stored. It answers below its paths, and passes other requests on.
 */
export interface SupportConsole extends Middleware {
  /** The same as a request listener: for Express, Connect, NestJS and Node's own server. */
  callback(): RequestListener
  /** For guards of APIs in this process: `resourceServer({ onImpersonatedRequest })`. */
  readonly onImpersonatedRequest: (use: ImpersonationUse) => Promise<void>
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
const MOST_ISSUES = 60

/**
 * The support console: operators act as customers, leads see and end what runs, auditors read who did
 * what and why. It records the events of the provider from now on.
 *
 * @throws TypeError with the dotted path of an option that is unknown or wrong
 */
export function supportConsole(provider: Provider, options: SupportConsoleOptions): SupportConsole {
  const settings = settingsOf(provider, options)
  const { path, url, clientId, account, onAlarm } = settings
  const closing = new AbortController()
  const directory = customerDirectory(settings)
  const nameOf = personNames(provider, directory)
  const audit = createAudit(settings.audit, {
    nameOf,
    onAlarm,
    urlOf: (row) => `${url}${path}/audit/${row}`,
  })
  const { store } = audit
  recordEvents(provider, audit)
  const retention = startRetention(store, {
    sign: (claims) => provider.impersonation.signCheckpoint(claims),
  })
  const parts: Parts = {
    provider,
    settings,
    audit: { store, recorder: audit, changes: audit.changes },
    directory,
    nameOf,
    issue: subjectTokenIssuer(provider, settings),
    limitIssues: operatorLimit(
      MOST_ISSUES,
      60,
      (operator, seconds) =>
        `support console: ${operator} asked ${MOST_ISSUES} times in a minute to act; not again for ${seconds} s`,
    ),
    recordRefusal: refusalRecorder(audit.record),
    recordStranger: refusalRecorder(audit.record, STRANGERS_WINDOW),
    closing: closing.signal,
    now: () => Date.now(),
  }
  const checkClients = clientChecks(provider, settings)
  store.open().catch((error: unknown) => tell(`the storage cannot be used: ${reasonOf(error)}`))

  const middleware: Middleware = inOrder(
    auditGate(audit, gatedPaths(provider, settings)),
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
    recordRefusal: parts.recordRefusal,
    settled: audit.settled,
    async check() {
      await store.open()
      for (const { check } of checkClients) await check()
    },
    endStreams: () => closing.abort(),
    async close() {
      closing.abort()
      // The provider emits events in the turn after its answer.
      await turn()
      await retention.stop()
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

function pages(provider: Provider, { path, clientId, account, language }: Settings): Middleware[] {
  return [
    consolePages({ provider, path, clientId, language }),
    ...(account
      ? [accountPages({ provider, language, path: account.path, clientId: account.clientId })]
      : []),
  ]
}

/** The paths whose requests make entries. */
function gatedPaths(provider: Provider, { managementPath, apis }: Settings) {
  const mountPath = new URL(provider.issuer).pathname.replace(/\/$/, '')
  return {
    issue: `${managementPath}/subject-tokens`,
    token: provider.pathFor('token', { mountPath }),
    end: `${mountPath}/impersonations/current/end`,
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
