import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import { unlessTrouble } from '../../../kernel/log-line.ts'
import type { RowAnswer } from '../../../web/answers.ts'
import type { Call } from '../../../web/parts.ts'
import { shownRow } from '../../../web/rows.ts'
import { findWayOn, isContinuable } from './continue.ts'
import { runningImpersonations } from './running.ts'

/** In this time before the end, the strip looks different and offers to go on, in milliseconds. */
export const LAST_MINUTE = 60_000
/** The time for which the strip tells of an end by another person or the provider, in milliseconds. */
const NEWS_MS = 60_000
/** The time in which an impersonation began that is over and is shown, in milliseconds. */
const LOOK_BACK_MS = 12 * 3_600_000
/** The most of these that are looked at. */
const MAX_LOOKED_AT = 50
/** So many are offered to go on with at once: the page *What I did* has the others. */
const MAX_OVER_SHOWN = 3

export type StripAnswer = Awaited<ReturnType<typeof findStrip>>

/** Finds what the caller runs, and ran a moment ago. */
export async function findStrip(call: Call) {
  const { audit, caller, now } = call
  const begun = { operator: caller.id, from: now() - LOOK_BACK_MS }
  const [{ running }, page] = await Promise.all([
    runningImpersonations(call, { actor: caller.id }),
    unlessTrouble('what an operator could go on with cannot be read', () =>
      audit.store.find(begun, { limit: MAX_LOOKED_AT, now: now() }),
    ),
  ])
  const mine = running.filter(({ isMine }) => isMine)
  const over = (page?.rows ?? [])
    .map((row) => shownRow(row, call))
    .filter((it) => it.isMine && it.startedAt !== undefined && it.outcome !== 'running')
  // The last one of a ticket counts.
  const last = new Map([...over.toReversed(), ...mine].map((it) => [keyOf(it), it.id]))
  const toGoOn = over.filter((it) => isContinuable(it, call) && last.get(keyOf(it)) === it.id)
  const [shown, offered] = await Promise.all([
    Promise.all(mine.toSorted((a, b) => a.expiresAt - b.expiresAt).map((it) => withWays(call, it))),
    Promise.all(toGoOn.slice(0, MAX_OVER_SHOWN).map((it) => withWays(call, it))),
  ])
  return {
    /** The first to end comes first. */
    running: shown,
    /** Impersonations that the reader may go on with, newest first. */
    over: offered.filter(({ goOn }) => goOn === 'allowed'),
    /** Ends by another person or the provider, a moment ago. */
    stopped: over.filter((it) => !isContinuable(it, call) && (it.end?.at ?? 0) > now() - NEWS_MS),
  }
}

const keyOf = ({ customer, ticket, application }: AuditRow) =>
  JSON.stringify([customer?.id, ticket, application])

/** Asks the rule for the ways on that the strip offers: to the same, and from looking to changing. */
async function withWays<R extends RowAnswer>(call: Call, it: R) {
  const { settings, now } = call
  const { application, canChange, expiresAt = 0, outcome } = it
  const isOver = outcome !== 'running'
  const scopes = settings.applications.find(({ clientId }) => clientId === application)?.scopes
  const canWiden = !isOver && !canChange && scopes?.change !== undefined
  const [goOn, widen] = await Promise.all([
    isOver || expiresAt - now() <= LAST_MINUTE ? findWayOn(call, it) : undefined,
    canWiden ? findWayOn(call, it, 'change') : undefined,
  ])
  return { ...it, goOn, widen }
}
