import { present } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { oneOf } from '../../../../kernel/input.ts'
import { pages } from '../../../../kernel/pages.ts'
import { isAudited } from '../../../../kernel/roles.ts'
import { csvHead, csvLine } from '../../../../ledger/keeping/csv.ts'
import { isNaming, namelessFilter } from '../../../../web/http/exported-filter.ts'
import {
  cursor,
  personId,
  readQuery,
  searchWords,
  timeParameter,
} from '../../../../web/http/query.ts'
import { sendExport } from '../../../../web/http/send-export.ts'
import { HISTORY_STATES, type HistoryFilter } from '../history-filter.ts'
import type { Permits } from '../options.ts'
import type { HistoryAnswer } from './answers.ts'
import { csvOf, NO_PERMIT } from './history-csv.ts'
import { type PermitCall, requirePermits, shownPast } from './shown.ts'

const HISTORY_FILTER = {
  from: timeParameter,
  to: timeParameter,
  operator: personId,
  customer: personId,
  person: personId,
  state: v.optional(oneOf(HISTORY_STATES)),
  ticket: searchWords,
  text: searchWords,
}

/** `GET /permits/history` */
export async function listHistory(call: PermitCall): Promise<void> {
  const { ctx, now } = call
  const permits = requirePermits(call)
  const { before, ...asked } = readQuery(ctx, { ...HISTORY_FILTER, before: cursor })
  const filter = visibleHistory(asked, call)
  const page = filter ? await permits.history(filter, { before }) : { permits: [] }
  ctx.body = {
    permits: page.permits.map((permit) => shownPast(permit, call)),
    ...present({ next: page.next }),
    now: now(),
  } satisfies HistoryAnswer
}

/** `GET /permits/history.csv` */
export async function exportHistory(call: PermitCall): Promise<void> {
  const permits = requirePermits(call)
  const filter = readQuery(call.ctx, HISTORY_FILTER)
  const found = isNaming(filter) ? (await permits.history(filter)).permits : []
  const context = {
    ...{ format: 'approvals.csv', filter: namelessFilter(filter) },
    ...present({ permit: found[0]?.id }),
  }
  await sendExport(call, 'approvals.csv', 'csv', context, () => linesOf(permits, filter))
}

async function* linesOf(permits: Permits, filter: HistoryFilter): AsyncGenerator<string> {
  yield csvHead(Object.keys(csvOf(NO_PERMIT)))
  const read = (before: string | undefined) => permits.history(filter, { before })
  for await (const page of pages(read)) {
    yield page.permits.map((permit) => csvLine(Object.values(csvOf(permit)))).join('')
  }
}

/** An operator sees what they asked for, and what they decided. @returns `undefined` where nothing can match */
function visibleHistory(filter: HistoryFilter, { caller }: PermitCall): HistoryFilter | undefined {
  if (isAudited(caller.role)) return filter
  if (filter.person !== undefined && filter.person !== caller.id) return undefined
  return { ...filter, person: caller.id }
}
