import {
  type AuditPerson,
  type AuditRow,
  endingOf,
  present,
  reasonOf,
} from 'oidc-provider-impersonation-verify/format'
import { log } from '../../../kernel/log-line.ts'
import type { RowAnswer, RunningImpersonation } from '../../../web/answers.ts'
import { applicationName } from '../../../web/applications.ts'
import type { Call } from '../../../web/parts.ts'
import { shownRow } from '../../../web/rows.ts'
import { CONTINUABLE_MS, findWayOn, type WayOn } from './continue.ts'
import { runningImpersonations } from './running.ts'

/** In this time before the end, the strip offers to go on, in milliseconds. */
const LAST_MINUTE = 60_000
/** How long the strip tells what another person or the provider ended, in milliseconds. */
const NEWS_MS = 60_000
/** What is over is looked for among what began in this time, in milliseconds. */
const LOOK_BACK_MS = 12 * 3_600_000
/** How many of these are looked at. */
const MAX_LOOKED_AT = 50
/** So many are offered to go on with at once: the page *What I did* has the others. */
const MAX_OVER_SHOWN = 3

/** What the reader runs, or ran a moment ago. */
export interface StripAnswer {
  /** What ends first comes first. */
  readonly running: readonly MyRunning[]
  /** What the reader may go on with, newest first. */
  readonly over: readonly MyOver[]
  /** What another person or the provider ended a moment ago. */
  readonly stopped: readonly MyOver[]
}

export interface MyRunning extends RunningImpersonation {
  /** What the rule says of going on; absent before the last minute. */
  readonly goOn?: WayOn
  /** What the rule says of going on with changes; absent where it can change already. */
  readonly widen?: WayOn
}

/** What going on is about. */
export interface Continued extends Pick<AuditRow, 'application' | 'id' | 'ticket'> {
  readonly customer: AuditPerson
}

export interface MyOver extends RowAnswer {
  readonly customer: AuditPerson
  readonly startedAt: number
  /** Whether its time was over, or the caller ended it. */
  readonly isOwnEnd: boolean
}

/** What the caller runs, and ran a moment ago. */
export async function findStrip(call: Call): Promise<StripAnswer> {
  const { caller, now } = call
  const [{ running }, rows] = await Promise.all([
    runningImpersonations(call, { actor: caller.id }),
    begunBefore(call),
  ])
  const earlier = rows.flatMap((row) => overOf(row, call))
  const mine = running.filter(({ isMine, expiresAt }) => isMine && expiresAt > now())
  const over = earlier.filter(({ id }) => !mine.some((it) => it.id === id))
  // Of what was gone on with, the last one counts. What runs has whole seconds of its beginning.
  const seconds = ({ startedAt }: { startedAt: number }) => Math.floor(startedAt / 1000)
  const all = [...over.toReversed(), ...mine].toSorted((a, b) => seconds(a) - seconds(b))
  const last = new Map(all.map((it) => [keyOf(it), it.id]))
  const isLast = (it: Continued) => last.get(keyOf(it)) === it.id
  const [shown, continuable] = await Promise.all([
    Promise.all(
      mine
        .toSorted((a, b) => a.expiresAt - b.expiresAt)
        .map((it) => (isLast(it) ? withWays(call, it) : it)),
    ),
    Promise.all(
      over
        .filter((it) => it.isOwnEnd && isLast(it))
        .slice(0, MAX_OVER_SHOWN)
        .map(async (it) => ((await findWayOn(call, it.id)) === 'allowed' ? [it] : [])),
    ),
  ])
  const stopped = earlier.filter(
    ({ end, isOwnEnd }) => !isOwnEnd && (end?.at ?? 0) > now() - NEWS_MS,
  )
  return { running: shown, over: continuable.flat(), stopped }
}

const keyOf = ({ customer, ticket, application }: Continued) =>
  JSON.stringify([customer.id, ticket, application])

async function withWays(call: Call, it: RunningImpersonation): Promise<MyRunning> {
  const { settings, now, language } = call
  const isLastMinute = it.expiresAt - now() <= LAST_MINUTE
  const canWiden =
    !it.canChange &&
    settings.applications.some(
      ({ clientId, scopes }) =>
        scopes.change !== undefined &&
        applicationName(settings.applications, clientId, language) === it.application,
    )
  const [goOn, widen] = await Promise.all([
    isLastMinute ? findWayOn(call, it.id) : undefined,
    canWiden ? findWayOn(call, it.id, 'change') : undefined,
  ])
  return { ...it, ...present({ goOn, widen }) }
}

/** What began a while ago. What runs is shown without it, too. */
async function begunBefore({ audit, caller, now }: Call): Promise<readonly AuditRow[]> {
  try {
    const filter = { operator: caller.id, from: now() - LOOK_BACK_MS }
    return (await audit.store.find(filter, { limit: MAX_LOOKED_AT, now: now() })).rows
  } catch (error) {
    log(`what an operator could go on with cannot be read: ${reasonOf(error)}`)
    return []
  }
}

/** What is over since a moment ago. */
function overOf(row: AuditRow, call: Call): MyOver | [] {
  const { caller, language, now, settings } = call
  const { customer, end, expiresAt = 0, operator, startedAt } = row
  const shown = shownRow(row, call)
  const { outcome } = shown
  const isOver = startedAt !== undefined && outcome !== 'running'
  if (!customer || !isOver || (end?.at ?? expiresAt) < now() - CONTINUABLE_MS) return []
  if (operator?.id !== caller.id || row.software !== undefined) return []
  const ending = endingOf(row) ?? ''
  const isOwnEnd =
    outcome === 'expired' || ['left', 'operator', 'operator_signed_out'].includes(ending)
  const application = applicationName(settings.applications, row.application, language)
  return { ...shown, customer, startedAt, isOwnEnd, application }
}
