import { USED_EVENT } from 'oidc-provider-impersonation-verify/format'
import type { TimelineEntry } from '../../api/console/answers.ts'

/**
 * Entries that follow one another and tell of the same request with the same answer, or of one attempt to
 * tell the customer; or one entry.
 */
export type Run = readonly [TimelineEntry, ...TimelineEntry[]]

/** Sums up entries that follow one another. */
export function runsOf(entries: readonly TimelineEntry[]): readonly Run[] {
  const runs: [TimelineEntry, ...TimelineEntry[]][] = []
  for (const entry of entries) {
    const last = runs.at(-1)
    if (last && (isSameRequest(last[0], entry) || isOneNotice(last, entry))) last.push(entry)
    else runs.push([entry])
  }
  return runs
}

/** How often it happened. */
export function countOf(run: Run): number {
  return run.reduce((sum, { count = 1 }) => sum + count, 0)
}

function isSameRequest(one: TimelineEntry, other: TimelineEntry): boolean {
  if (one.event !== USED_EVENT || other.event !== USED_EVENT) return false
  return requestOf(one) === requestOf(other)
}

/** The beginning of an attempt, and what came of it. */
function isOneNotice([one, another]: Run, { event, notice }: TimelineEntry): boolean {
  const isOutcome = event === 'support.notified' || event === 'support.unnotified'
  const isBegun = one.event === 'support.notifying' && another === undefined
  return isOutcome && isBegun && one.notice?.attempt === notice?.attempt
}

function requestOf({ use }: TimelineEntry): string {
  const { audience, method, path, status, refused } = use ?? {}
  return JSON.stringify([audience, method, path, status, refused?.by, refused?.description])
}
