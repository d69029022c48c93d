import {
  type AuditPerson,
  type AuditRow,
  present,
  reasonOf,
} from 'oidc-provider-impersonation-verify/format'
import { log } from '../../../kernel/log-line.ts'
import type { RowAnswer, RunningImpersonation } from '../../../web/answers.ts'
import type { Call } from '../../../web/parts.ts'
import { shownRow } from '../../../web/rows.ts'
import { findWayOn, isContinuable, type WayOn } from './continue.ts'
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
  readonly isContinuable: boolean
}

/** What the caller runs, and ran a moment ago. */
export async function findStrip(call: Call): Promise<StripAnswer> {
  const { caller, now } = call
  const [{ running }, rows] = await Promise.all([
    runningImpersonations(call, { actor: caller.id }),
    begunBefore(call),
  ])
  const mine = running.filter(({ isMine }) => isMine)
  const over = rows.flatMap((row) => overOf(row, call))
  // Of what was gone on with, the last one counts.
  const last = new Map([...over.toReversed(), ...mine].map((it) => [keyOf(it), it.id]))
  const toGoOn = over.filter((it) => it.isContinuable && last.get(keyOf(it)) === it.id)
  const [shown, allowed] = await Promise.all([
    Promise.all(mine.toSorted((a, b) => a.expiresAt - b.expiresAt).map((it) => withWays(call, it))),
    Promise.all(
      toGoOn
        .slice(0, MAX_OVER_SHOWN)
        .map(async (it) => ((await findWayOn(call, it.id)) === 'allowed' ? [it] : [])),
    ),
  ])
  const stopped = over.filter((it) => !it.isContinuable && (it.end?.at ?? 0) > now() - NEWS_MS)
  return { running: shown, over: allowed.flat(), stopped }
}

const keyOf = ({ customer, ticket, application }: Continued) =>
  JSON.stringify([customer.id, ticket, application])

async function withWays(call: Call, it: RunningImpersonation): Promise<MyRunning> {
  const { settings, now } = call
  const isLastMinute = it.expiresAt - now() <= LAST_MINUTE
  const canWiden =
    !it.canChange &&
    settings.applications.some(
      ({ clientId, scopes }) => scopes.change !== undefined && clientId === it.application,
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

/** What is over, and can be continued or ended a moment ago. */
function overOf(row: AuditRow, call: Call): MyOver | [] {
  const { customer, operator, software, startedAt } = row
  const shown = shownRow(row, call)
  const isMine = operator?.id === call.caller.id && software === undefined
  if (!customer || !isMine || startedAt === undefined || shown.outcome === 'running') return []
  return { ...shown, customer, isContinuable: isContinuable(row, call) }
}
