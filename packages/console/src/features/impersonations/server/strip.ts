import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import { unlessTrouble } from '../../../kernel/log-line.ts'
import type { Call } from '../../../web/parts.ts'
import { shownRow } from '../../../web/rows.ts'
import { findWayOn, isContinuable } from './continue.ts'
import { type RunningImpersonation, runningImpersonations } from './running.ts'

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
  const begunBefore = { operator: caller.id, from: now() - LOOK_BACK_MS }
  const [{ running }, page] = await Promise.all([
    runningImpersonations(call, { actor: caller.id }),
    unlessTrouble('what an operator could go on with cannot be read', () =>
      audit.store.find(begunBefore, { limit: MAX_LOOKED_AT, now: now() }),
    ),
  ])
  const mine = running.filter(({ isMine }) => isMine)
  const over = page?.rows.flatMap((row) => overOf(row, call)) ?? []
  // Of what was gone on with, the last one counts.
  const last = new Map([...over.toReversed(), ...mine].map((it) => [keyOf(it), it.id]))
  const toGoOn = over.filter((it) => it.isContinuable && last.get(keyOf(it)) === it.id)
  const [shown, offered] = await Promise.all([
    Promise.all(mine.toSorted((a, b) => a.expiresAt - b.expiresAt).map((it) => withWays(call, it))),
    Promise.all(
      toGoOn
        .slice(0, MAX_OVER_SHOWN)
        .map(async (it) => ({ ...it, goOn: await findWayOn(call, it.id) })),
    ),
  ])
  return {
    /** The first to end comes first. */
    running: shown,
    /** Impersonations that the reader may go on with, newest first. */
    over: offered.filter(({ goOn }) => goOn === 'allowed'),
    /** Ends by another person or the provider, a moment ago. */
    stopped: over.filter((it) => !it.isContinuable && (it.end?.at ?? 0) > now() - NEWS_MS),
  }
}

const keyOf = ({ customer, ticket, application }: AuditRow) =>
  JSON.stringify([customer?.id, ticket, application])

async function withWays(call: Call, it: RunningImpersonation) {
  const { settings, now } = call
  const isLastMinute = it.expiresAt - now() <= LAST_MINUTE
  const application = settings.applications.find(({ clientId }) => clientId === it.application)
  const canWiden = !it.canChange && application?.scopes.change !== undefined
  const [goOn, widen] = await Promise.all([
    isLastMinute ? findWayOn(call, it.id) : undefined,
    canWiden ? findWayOn(call, it.id, 'change') : undefined,
  ])
  return { ...it, goOn, widen }
}

/** A row that is over. */
function overOf(row: AuditRow, call: Call) {
  const { customer, operator, software, startedAt } = row
  const shown = shownRow(row, call)
  const isMine = operator?.id === call.caller.id && software === undefined
  if (!customer || !isMine || startedAt === undefined || shown.outcome === 'running') return []
  return { ...shown, customer, isContinuable: isContinuable(row, call) }
}
