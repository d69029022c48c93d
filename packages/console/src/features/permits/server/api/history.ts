import { present } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { oneOf, type Read } from '../../../../kernel/input.ts'
import { pages } from '../../../../kernel/pages.ts'
import { isAudited } from '../../../../kernel/roles.ts'
import { csvHead, csvLine } from '../../../../ledger/keeping/csv.ts'
import { isNaming, namelessFilter } from '../../../../web/http/exported-filter.ts'
import { cursor, personId, readQuery, searchWords } from '../../../../web/http/query.ts'
import { sendExport } from '../../../../web/http/send-export.ts'
import { zoneOf } from '../../../../web/pages/reader.ts'
import { WHEN, withRange } from '../../../../web/when.ts'
import { HISTORY_STATES, type HistoryFilter } from '../history-filter.ts'
import type { ConsolePermits } from '../options.ts'
import type { HistoryAnswer } from './answers.ts'
import { csvOf, NO_PERMIT } from './history-csv.ts'
import { type PermitCall, requirePermits, shownPast } from './shown.ts'

const HISTORY_FILTER = {
  ...WHEN,
  operator: personId,
  customer: personId,
  person: personId,
  state: v.optional(oneOf(HISTORY_STATES)),
  ticket: searchWords,
  text: searchWords,
}

export const HISTORY = { ...HISTORY_FILTER, before: cursor }

/** Lists requests and emergencies, also those that are over: an operator those that they have to do with. */
export async function listHistory(
  call: PermitCall & { readonly query: Read<typeof HISTORY> },
): Promise<HistoryAnswer> {
  const { query } = call
  const permits = requirePermits(call)
  const { before, ...asked } = query
  const filter: HistoryFilter = withRange(asked, zoneOf(call.ctx))
  const visible = visibleHistory(filter, call)
  const page = visible ? await permits.history(visible, { before }) : { permits: [] }
  return {
    asked: Object.fromEntries(
      Object.entries(asked).flatMap(([name, value]) =>
        value === undefined || (name === 'when' && value === 'any') ? [] : [[name, value]],
      ),
    ),
    filter: { from: filter.from, to: filter.to },
    permits: page.permits.map((permit) => shownPast(permit, call)),
    ...present({ next: page.next }),
  }
}

/** Sends the history as a file. */
export async function exportHistory(call: PermitCall): Promise<void> {
  const permits = requirePermits(call)
  const asked = readQuery(call.ctx, HISTORY_FILTER)
  const filter: HistoryFilter = withRange(asked, zoneOf(call.ctx))
  const found = isNaming(filter) ? (await permits.history(filter)).permits : []
  const context = {
    ...{ format: 'approvals.csv', filter: namelessFilter(filter) },
    ...present({ permit: found[0]?.id }),
  }
  await sendExport(call, 'approvals.csv', 'csv', context, () => linesOf(permits, filter))
}

async function* linesOf(permits: ConsolePermits, filter: HistoryFilter): AsyncGenerator<string> {
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
