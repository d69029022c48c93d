import { USED_EVENT } from 'oidc-provider-impersonation-verify/format'
import type { TimelineEntry } from '../../../web/answers.ts'

/** Entries that follow one another and tell of the same request with the same answer; or one entry. */
export type RequestRun = readonly [TimelineEntry, ...TimelineEntry[]]

/** Sums up entries that follow one another. */
export function runsOf(entries: readonly TimelineEntry[]): readonly RequestRun[] {
  const runs: [TimelineEntry, ...TimelineEntry[]][] = []
  for (const entry of entries.filter(isShown)) {
    const last = runs.at(-1)
    const request = requestOf(entry)
    if (last && request !== undefined && requestOf(last[0]) === request) last.push(entry)
    else runs.push([entry])
  }
  return runs
}

/** That the deployment was told of an alarm, and that a customer is being told: what came of it is shown. */
const isShown = ({ event, delivery }: TimelineEntry) =>
  event !== 'support.telling' && delivery?.to !== 'deployment'

/** How often it happened. */
export function countOf(run: RequestRun): number {
  return run.reduce((sum, { count = 1 }) => sum + count, 0)
}

function requestOf({ event, use }: TimelineEntry): string | undefined {
  const { audience, method, path, status, refused } = use ?? {}
  if (event !== USED_EVENT) return undefined
  return JSON.stringify([audience, method, path, status, refused?.by, refused?.description])
}
