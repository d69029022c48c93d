import { setImmediate as turn } from 'node:timers/promises'
import type { Middleware } from 'koa'
import type { Provider } from 'oidc-provider-impersonation'
import { accountApi } from './account/api.ts'
import { createAudit } from './audit/audit.ts'
import { auditGate } from './audit/gate.ts'
import { type AuditDatabase, openAudit } from './audit/open.ts'
import { recordEvents } from './audit/provider-events.ts'
import { type RecordUse, useRecorder } from './audit/uses.ts'
import type { IntrospectionOptions } from './backend/options.ts'
import { operatorEndpoints } from './backend/router.ts'
import { loadAssets } from './http/assets.ts'
import { type CustomerApplication, pages } from './pages.ts'
import type { People } from './people.ts'
import { type RecordRefusal, refusalRecorder } from './refusals.ts'

export type { AuditDatabase } from './audit/open.ts'
export type { CustomerApplication } from './pages.ts'
export type { People, Person } from './people.ts'
export type { RecordRefusal, Refusal } from './refusals.ts'

/** What the console must know of the deployment that it is mounted in. */
export interface ConsoleOptions extends IntrospectionOptions {
  /** Where the audit is kept. */
  readonly database: AuditDatabase
  readonly people: People
  /** The clients in which operators sign in: among them `support-console`, the console itself. */
  readonly operatorClients: readonly string[]
  /** The clients in which customers sign in: among them `customer-account`, the account page. */
  readonly customerClients: readonly string[]
  /** The customers' own application, in which operators may act, too. */
  readonly application?: CustomerApplication | undefined
  /** Paths of APIs whose guard tells `recordUse`. Their requests wait while the audit cannot be stored. */
  readonly apis?: readonly string[]
  /** A password that is public and that the pages show, in a demonstration. */
  readonly password?: string | undefined
  /** Aborts when the server stops: streams end, so that the server can. */
  readonly closing?: AbortSignal | undefined
}

/** The console, to be mounted in the Koa application of the provider. */
export interface SupportConsole {
  /** Goes before the provider: keeps an event from being lost while the audit cannot be stored. */
  readonly gate: Middleware
  /** `/console`, `/account`, `/assets`, and what they ask below `/support` and `/account`. */
  readonly routes: Middleware
  readonly recordRefusal: RecordRefusal
  /** For `onImpersonatedRequest` of the APIs' guards. */
  readonly recordUse: RecordUse
  /** Stores the rest of the audit. Call it when no request is left. */
  close(): Promise<void>
}

/**
 * The support console, the audit, and the account page on which customers see who acted as them.
 * It records the events of the provider from now on.
 */
export async function supportConsole(
  provider: Provider,
  { database, apis = [], ...options }: ConsoleOptions,
): Promise<SupportConsole> {
  const assets = await loadAssets()
  const store = await openAudit(database)
  const audit = createAudit(store)
  recordEvents(provider, audit)
  const { pathname } = new URL(provider.issuer)
  return {
    gate: auditGate(audit, {
      issue: '/api/subject-tokens',
      token: `${pathname}/token`,
      end: `${pathname}/impersonations/current/end`,
      apis,
    }),
    routes: inOrder(
      operatorEndpoints({ ...options, audit }),
      accountApi({ ...options, audit, impersonation: provider.impersonation }),
      pages(options),
      assets,
    ),
    recordRefusal: refusalRecorder(audit),
    recordUse: useRecorder(audit),
    async close() {
      // The provider emits events in the turn after its answer.
      await turn()
      await audit.close()
      store.close()
    },
  }
}

function inOrder(...all: readonly Middleware[]): Middleware {
  return (ctx, next) =>
    all.reduceRight<() => Promise<unknown>>((then, one) => async () => one(ctx, then), next)()
}
