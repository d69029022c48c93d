import type { RowAnswer, RunningImpersonation } from '../../../../web/answers.ts'
import { serverTime, useServerTime } from '../../../../web/session/clock.ts'
import type { Session } from '../../../../web/session/session.ts'
import { useStopped } from './continuable.ts'
import { type Gone, type Live, OVER_REMEMBERED_MS, useRunning } from './live.ts'

/** In this time before the end, the strip offers to go on, in milliseconds. */
const LAST_MINUTE = 60_000
/** After *Continue*, the application has this time to start, in milliseconds. */
const STARTING_MS = 60_000

/** One that the operator runs, or ran a moment ago. */
export interface Mine {
  readonly impersonation: RunningImpersonation
  readonly phase: 'expired' | 'last minute' | 'long'
  /** Whether the operator ended it before its time was over. */
  readonly isEnded: boolean
  /** Whether the operator only looks, and could change in this application. */
  readonly canWiden: boolean
  /** Whether going on is offered: not where that was done already. */
  readonly canContinue: boolean
  /** Whether a pause, or the rule, keeps the operator from going on. */
  readonly isStopped: boolean
}

/** Whether one began later. The list of what runs has whole seconds of it, and the audit milliseconds. */
function isLater(one: RunningImpersonation, before: RunningImpersonation): boolean {
  const [began, begun] = [one, before].map(({ startedAt }) => Math.floor(startedAt / 1000))
  if (began !== begun) return Number(began) > Number(begun)
  // Of two that cannot be told apart, one alone counts.
  return one.expiresAt === before.expiresAt ? one.id > before.id : one.expiresAt > before.expiresAt
}

const isAsThisOne = (one: RunningImpersonation) => (other: RunningImpersonation) =>
  other.id !== one.id &&
  other.customer.id === one.customer.id &&
  other.ticket === one.ticket &&
  other.application === one.application &&
  isLater(other, one)

/** Whether the operator may go on: no other person, rule or replay has ended it. */
const isOwnEnd = ({ outcome, isByReader }: Gone) =>
  outcome === 'expired' ||
  (isByReader === true && (outcome === 'requested' || outcome === 'operator_signed_out'))

const canChangeIn = ({ me }: Session, { application }: RunningImpersonation) =>
  me.applications.some(({ name, canChange }) => canChange && name === application)

/** *Continue* was pressed for these, by id: it is not offered again while the application starts. */
const continuedAt = new Map<string, number>()

/** Does not offer *Continue* again, while the application starts. */
export function markContinued(session: Session, { id }: RunningImpersonation): void {
  continuedAt.set(id, serverTime(session))
}

/** What the operator runs; what ends first comes first. */
export function useMine(session: Session): { readonly mine: readonly Mine[]; readonly live: Live } {
  const live = useRunning(session)
  const now = useServerTime(session)
  return { mine: useAll(session, live, now), live }
}

/** What runs, and what was over a moment ago. */
function useAll(session: Session, live: Live, now: number): readonly Mine[] {
  const running = (live.running ?? []).filter(({ isMine }) => isMine)
  const gone = live.gone.filter(({ impersonation }) => impersonation.isMine)
  const over = gone
    .filter(isOwnEnd)
    .filter(
      ({ impersonation: { id }, at }, index, all) =>
        now - at < OVER_REMEMBERED_MS &&
        !running.some((it) => it.id === id) &&
        all.findIndex(({ impersonation }) => impersonation.id === id) === index,
    )
  const ended = new Set(over.filter((it) => it.outcome !== 'expired').map((it) => it.impersonation))
  const all = [...running, ...over.map(({ impersonation }) => impersonation)]
  // Also those that a lead or the customer ended: what came before is not offered again.
  const known = [...running, ...gone.map(({ impersonation }) => impersonation)]
  const found = all.map((impersonation): Omit<Mine, 'isStopped'> => {
    const { id, expiresAt } = impersonation
    const isEnded = ended.has(impersonation)
    const left = isEnded ? 0 : expiresAt - now
    const isStarting = now - (continuedAt.get(id) ?? 0) < STARTING_MS
    return {
      impersonation,
      isEnded,
      canWiden: !impersonation.canChange && canChangeIn(session, impersonation),
      phase: left <= 0 ? 'expired' : left <= LAST_MINUTE ? 'last minute' : 'long',
      canContinue: left <= LAST_MINUTE && !isStarting && !known.some(isAsThisOne(impersonation)),
    }
  })
  const offered = found.filter(
    ({ phase, canContinue }) => phase === 'long' || (phase !== 'expired' && canContinue),
  )
  const stopped = useStopped(
    session,
    new Map(offered.map(({ impersonation: { id }, phase }) => [id, phase])),
  )
  return found
    .map((each): Mine => {
      const isStopped = stopped.has(each.impersonation.id)
      const { canWiden, canContinue } = each
      return {
        ...each,
        isStopped,
        canWiden: canWiden && !isStopped,
        canContinue: canContinue && !isStopped,
      }
    })
    .toSorted((a, b) => a.impersonation.expiresAt - b.impersonation.expiresAt)
}

/** A row as one of the list of what runs. */
export function asRunning(row: RowAnswer): RunningImpersonation | undefined {
  const { id, customer, ticket, ticketUrl, reason, applicationName, startedAt, expiresAt } = row
  if (!customer || startedAt === undefined || expiresAt === undefined) return undefined
  return {
    id,
    customer,
    ...(ticket !== undefined && { ticket }),
    ...(ticketUrl !== undefined && { ticketUrl }),
    ...(reason !== undefined && { reason }),
    ...(applicationName !== undefined && { application: applicationName }),
    canChange: false,
    startedAt,
    expiresAt,
    isMine: true,
    canEnd: false,
  }
}
