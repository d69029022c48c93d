import { invalid } from '../../http/problem.ts'
import { numberIn, parseQuery } from '../../http/query.ts'
import type { Permits } from '../../permits/options.ts'
import { reading } from '../audit-trouble.ts'
import { MAX_TIME_MS } from '../console/filter.ts'
import type { Call } from '../parts.ts'
import type { EmergenciesAnswer } from './answers.ts'
import { permitting, requirePermits } from './shown.ts'

/** So many pages are read: of starts, each of 200; of permits, each of 100. */
const MAX_PAGES = 10

interface Period {
  /** In milliseconds since the epoch. */
  readonly from: number
  readonly to: number
}

/** `GET /audit/emergencies` */
export async function countEmergencies(call: Call): Promise<void> {
  const query = parseQuery(call.ctx.querystring, 'from', 'to')
  const from = numberIn(query, 'from', 0, MAX_TIME_MS)
  const to = numberIn(query, 'to', 0, MAX_TIME_MS)
  if (from === undefined || to === undefined) throw invalid('from and to are required')
  const period = { from, to }
  const permits = requirePermits(call)
  const [emergencies, { starts, isMore }] = await Promise.all([
    permitting(() => findEmergencies(permits, period)),
    reading(() => countStarts(call, period)),
  ])
  call.ctx.body = { emergencies, starts, isMore } satisfies EmergenciesAnswer
}

async function findEmergencies(permits: Permits, { from, to }: Period): Promise<number> {
  let [count, before]: [number, string | undefined] = [0, undefined]
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await permits.list(before === undefined ? {} : { before })
    count += page.permits.filter(
      ({ kind, requestedAt }) => kind === 'emergency' && requestedAt >= from && requestedAt < to,
    ).length
    before = page.next
    if (before === undefined || (page.permits.at(-1)?.requestedAt ?? from) < from) break
  }
  return count
}

async function countStarts({ audit, now }: Call, period: Period) {
  let [starts, before]: [number, string | undefined] = [0, undefined]
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await audit.store.find(period, { before, limit: 200, now: now() })
    starts += page.rows.filter(({ startedAt }) => startedAt !== undefined).length
    before = page.next
    if (before === undefined) break
  }
  return { starts, isMore: before !== undefined }
}
