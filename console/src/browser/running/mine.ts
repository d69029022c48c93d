import { useEffect, useState } from 'preact/hooks'
import type { AuditAnswer, RowAnswer, RunningImpersonation } from '../../api/console/answers.ts'
import { serverTime, useServerTime } from '../session/clock.ts'
import type { Session } from '../session/session.ts'
import { type Live, OVER_REMEMBERED_MS, useLive } from './live.ts'

/** In this time before the end, the strip offers to go on, in milliseconds. */
const LAST_MINUTE = 60_000
/** After *Continue*, the application has this time to start, in milliseconds. */
const STARTING_MS = 60_000
/** What expired is looked for among what began in this time, in milliseconds. */
const LOOK_BACK_MS = 12 * 3_600_000
/** How many that expired are asked for when the page is loaded. */
const MAX_EXPIRED_LOADED = 20

/** One in the strip. */
export interface Mine {
  readonly impersonation: RunningImpersonation
  readonly phase: 'expired' | 'last minute' | 'long'
  /** Whether the strip offers to go on: not where that was done already. */
  readonly canContinue: boolean
}

const isAsThisOne = (one: RunningImpersonation) => (other: RunningImpersonation) =>
  other.id !== one.id &&
  other.customer.id === one.customer.id &&
  other.ticket === one.ticket &&
  other.application === one.application &&
  other.startedAt > one.startedAt

/** What the operator runs, and what expired in the last minutes; what ends first comes first. */
export function useMine(session: Session): {
  readonly mine: readonly Mine[]
  readonly live: Live
  /** Leaves away one that expired. */
  readonly hide: (id: string) => void
  /** Does not offer *Continue* again, while the application starts. */
  readonly continued: (id: string) => void
} {
  const live = useLive(session)
  const now = useServerTime(session)
  const [earlier, setEarlier] = useState<readonly RunningImpersonation[]>([])
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [continuedAt, setContinuedAt] = useState<ReadonlyMap<string, number>>(new Map())
  useEffect(() => {
    const stop = new AbortController()
    void expiredBefore(session, stop.signal).then((found) => {
      if (!stop.signal.aborted) setEarlier(found)
    })
    return () => stop.abort()
  }, [session])

  const running = (live.running ?? []).filter(({ isMine }) => isMine)
  const expired = [
    ...live.gone.filter(({ outcome }) => outcome === 'expired').map((it) => it.impersonation),
    ...earlier,
  ].filter(
    ({ id, isMine, expiresAt }, index, all) =>
      isMine &&
      now - expiresAt < OVER_REMEMBERED_MS &&
      !hidden.has(id) &&
      !running.some((it) => it.id === id) &&
      all.findIndex((it) => it.id === id) === index,
  )
  const all = [...running, ...expired]
  const mine = all.map((impersonation): Mine => {
    const { id, expiresAt } = impersonation
    const left = expiresAt - now
    const isStarting = now - (continuedAt.get(id) ?? 0) < STARTING_MS
    return {
      impersonation,
      phase: left <= 0 ? 'expired' : left <= LAST_MINUTE ? 'last minute' : 'long',
      canContinue: left <= LAST_MINUTE && !isStarting && !all.some(isAsThisOne(impersonation)),
    }
  })
  mine.sort(({ impersonation: a }, { impersonation: b }) => a.expiresAt - b.expiresAt)
  return {
    // What was continued needs no place any more once it is over.
    mine: mine.filter(({ phase, canContinue }) => phase !== 'expired' || canContinue),
    live,
    hide: (id) => setHidden((before) => new Set(before).add(id)),
    continued: (id) => setContinuedAt((before) => new Map(before).set(id, serverTime(session))),
  }
}

/** What expired before this page was loaded: after a reload, the way on is still there. */
async function expiredBefore(
  session: Session,
  signal: AbortSignal,
): Promise<readonly RunningImpersonation[]> {
  const query = new URLSearchParams({
    operator: session.me.id,
    outcome: 'expired',
    from: String(Math.floor(serverTime(session) - LOOK_BACK_MS)),
    limit: String(MAX_EXPIRED_LOADED),
  })
  try {
    const { rows } = await session.ask<AuditAnswer>(`/audit?${query}`, { signal })
    return rows.map(asRunning).filter((it) => it !== undefined)
  } catch {
    // The offer is a convenience: the form is still there.
    return []
  }
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
