import {
  CONSOLE_EVENTS,
  decodeEntry,
  MAX_NOTE_LENGTH,
} from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { recordNow, settle } from '../../../web/audit.ts'
import { optionalNote, writtenText } from '../../../web/http/json-body.ts'
import { notFound, Problem } from '../../../web/http/problem.ts'
import { numberParameter } from '../../../web/http/query.ts'
import type { WithBody, WithQuery } from '../../../web/parts.ts'
import { auditWords, findRow, shownRow } from '../../../web/rows.ts'

/** Words of leads, auditors and customers about an impersonation, and no request to act. */
const SUPERVISION_EVENTS: ReadonlySet<string> = new Set(
  CONSOLE_EVENTS.filter((event) => event !== 'support.refused' && event !== 'support.continued'),
)

export const PART_OF_TIMELINE = {
  after: v.optional(numberParameter(0, Number.MAX_SAFE_INTEGER)),
  limit: v.optional(numberParameter(1, 200), '100'),
}

export type ImpersonationAnswer = Awaited<ReturnType<typeof showImpersonation>>
export type TimelineEntry = ImpersonationAnswer['entries'][number]

/**
 * `GET /audit/:id`: one impersonation, with a part of its timeline, the oldest entry first. An operator sees only
 * their own.
 */
export async function showImpersonation(call: WithQuery<typeof PART_OF_TIMELINE>) {
  const { audit, caller, provider, query } = call
  await settle(audit)
  const row = shownRow(await findRow(call), call)
  const stored = await audit.store.timeline(row.id, query)
  // Nothing is left of a text that was removed when its time was over.
  const entries = stored.flatMap(({ number, digest, text = '' }) => {
    const entry = decodeEntry(text)
    if (!entry || (caller.role === 'operator' && SUPERVISION_EVENTS.has(entry.event))) return []
    const { use } = entry
    const words = use && auditWords(use, use.refused !== undefined, call)
    return [{ ...entry, number, digest, words }]
  })
  return {
    ...row,
    entries,
    next: stored.length === query.limit ? stored.at(-1)?.number : undefined,
    /** The address of the provider's public keys. */
    keys: provider.urlFor('jwks'),
  }
}

export const HOLD = { note: writtenText(MAX_NOTE_LENGTH) }
export const RELEASE = { note: optionalNote }

/** Puts an impersonation on hold, or releases it. @throws Problem 409 for what is not on hold */
export async function recordHold(
  call: WithBody<typeof RELEASE>,
  event: 'support.held' | 'support.released',
): Promise<void> {
  const { id, hold: before } = await findRow(call)
  if (event === 'support.released' && !before?.isHeld) {
    throw new Problem(409, 'conflict', 'it is not on hold')
  }
  await recordNow(call, { event, id, note: call.body.note }, before?.at)
  // A row that is gone is not put on hold.
  if (!(await call.audit.store.row(id))) throw notFound('it was erased meanwhile')
}
