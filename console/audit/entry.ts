import type { ImpersonationEvent } from 'oidc-provider-impersonation'
import type { ImpersonationUse } from 'oidc-provider-impersonation/resource-server'
import { asEscape } from '../http/text.ts'

/** The events of the plugin about an impersonation. */
export const PLUGIN_EVENTS = [
  'impersonation.issued',
  'impersonation.granted',
  'impersonation.denied',
  'impersonation.replayed',
  'impersonation.ended',
] as const

/** A request to an API in an impersonation. There are many of them: a search asks for them by name. */
export const USED = 'impersonation.used'

/** How a stored request begins, and no other entry: a database finds the others by it. */
export const USED_TEXT = `{"event":"${USED}"`

/** The events of the plugin, and three of the console. */
export const AUDIT_EVENTS = [
  ...PLUGIN_EVENTS,
  // What operators did: the guard of an API told it.
  USED,
  // The backend refused the request of an operator before the provider received it.
  'support.refused',
  // Of the version before: an operator said that an impersonation was over. Read, never written.
  'support.ended',
] as const

export type AuditEventName = (typeof AUDIT_EVENTS)[number]

/**
 * One event, with the members of docs/events.md. No entry holds the value of a token.
 *
 * `support.refused` has `actor`, `denial`, and `subject`, `scope` and `context` if the request could
 * be read.
 */
export interface AuditEntry extends ImpersonationEvent {
  readonly event: AuditEventName
  /** With `impersonation.used`: the request, and its answer. */
  readonly use?: Pick<
    ImpersonationUse,
    'useId' | 'audience' | 'method' | 'path' | 'status' | 'refused'
  >
  /** Of a stored entry: how often the event happened, if more than once. */
  readonly count?: number | undefined
  /** With `count`: time of the last event, in milliseconds; `time` is the first. */
  readonly lastTime?: number | undefined
}

const NAMES: ReadonlySet<unknown> = new Set(AUDIT_EVENTS)

export function isAuditEvent(name: unknown): name is AuditEventName {
  return NAMES.has(name)
}

/**
 * Encodes an entry as JSON in ASCII. A database with any encoding accepts it. An entry that the
 * database refuses would block all entries after it.
 */
export function encodeEntry(entry: AuditEntry): string {
  return JSON.stringify(entry).replaceAll(/[^ -~]/g, asEscape)
}
