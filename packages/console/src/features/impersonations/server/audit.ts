import { endsWithin } from 'oidc-provider-impersonation/siblings'
import {
  CONSOLE_EVENTS,
  decodeEntry,
  MAX_DATE_MS,
  present,
} from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { isId } from '../../../kernel/ids.ts'
import type { RowCount, RowPage, StoredEntry } from '../../../ledger/store.ts'
import type {
  AuditAnswer,
  AuditRowAnswer,
  NewerAnswer,
  TimelineAnswer,
  TimelineEntry,
} from '../../../web/answers.ts'
import { settle } from '../../../web/audit.ts'
import { cursor, numberParameter, readQuery, textParameter } from '../../../web/http/query.ts'
import type { Call } from '../../../web/parts.ts'
import { findRow, shownRow } from '../../../web/rows.ts'
import { auditWords, describedUse } from '../../../web/use-words.ts'
import { FILTER, visibleFilter } from './filter.ts'

const rowsPerPage = v.optional(numberParameter(1, 200), '50')
/** How long names may take, in milliseconds. */
const NAMES_TIMEOUT_MS = 2000

const NO_ROWS: RowPage = { rows: [], next: undefined }
const NONE_COUNTED: RowCount = { count: 0, more: false }

/** What leads, auditors and customers say of an impersonation, and no request to act. */
const SUPERVISION_EVENTS: ReadonlySet<string> = new Set(
  CONSOLE_EVENTS.filter((event) => event !== 'support.refused' && event !== 'support.continued'),
)

/** `GET /audit` */
export async function searchAudit(call: Call): Promise<void> {
  const { ctx, caller, audit } = call
  const parameters = { ...FILTER, before: cursor, limit: rowsPerPage }
  const { before, limit, ...asked } = readQuery(ctx, parameters)
  const filter = visibleFilter(asked, caller)
  const now = call.now()
  if (before === undefined) await settle(audit)
  const { rows, next, lookedTo } = filter
    ? await audit.store.find(filter, { before, limit, now })
    : NO_ROWS
  ctx.body = {
    rows: rows.map((row) => shownRow(row, call)),
    ...present({ next, lookedTo }),
    now,
  } satisfies AuditAnswer
}

/** `GET /audit/newer` */
export async function countNewer(call: Call): Promise<void> {
  const { ctx, caller, audit } = call
  const isOfRow = v.check(isId, 'must be the id of the first row')
  const first = { at: numberParameter(0, MAX_DATE_MS), id: v.pipe(textParameter(43), isOfRow) }
  const { at, id, ...asked } = readQuery(ctx, { ...FILTER, ...first })
  const filter = visibleFilter(asked, caller)
  ctx.body = (
    filter ? await audit.store.countNewer(filter, { at, id }, call.now()) : NONE_COUNTED
  ) satisfies NewerAnswer
}

/** `GET /audit/:id` */
export async function showRow(call: Call): Promise<void> {
  await settle(call.audit)
  const row = shownRow(await findRow(call), call)
  const names = await findNames(call, [row.acknowledged?.by, row.hold?.by])
  call.ctx.body = { ...row, byNames: Object.fromEntries(names) } satisfies AuditRowAnswer
}

/** `GET /audit/:id/timeline` */
export async function showTimeline(call: Call): Promise<void> {
  const { ctx, caller, audit, settings, language } = call
  const { after, limit } = readQuery(ctx, { after: cursor, limit: rowsPerPage })
  const { id } = await findRow(call)
  const stored = await audit.store.timeline(id, { after, limit })
  const entries = stored
    .flatMap(placed)
    .filter(({ event }) => caller.role !== 'operator' || !SUPERVISION_EVENTS.has(event))
  const names = await findNames(
    call,
    entries.map(({ by }) => by),
  )
  const next = stored.length === limit ? stored.at(-1)?.cursor : undefined
  ctx.body = {
    entries: entries.map((entry) => {
      const byName = entry.by === undefined ? undefined : names.get(entry.by)
      const { use } = entry
      const words = use && auditWords(describedUse(use), settings.account?.describe, language)
      return { ...entry, ...present({ byName }), words }
    }),
    ...present({ next }),
  } satisfies TimelineAnswer
}

/** Nothing, where the text was removed when its time was over. */
function placed({ cursor, writer, sequence, hash, text, count, lastTime }: StoredEntry) {
  const entry = text === undefined ? undefined : decodeEntry(text)
  if (!entry) return []
  const repeated = lastTime === undefined ? {} : { count, lastTime }
  return [{ ...entry, cursor, writer, sequence, hash, ...repeated } satisfies TimelineEntry]
}

/** A directory that fails, or is slow, leaves names away. */
async function findNames(
  { nameOf }: Call,
  people: ReadonlyArray<string | undefined>,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  const ids = new Set(people.filter((id) => id !== undefined))
  const look = async (id: string) => {
    const found = await nameOf(id).catch(() => undefined)
    if (found?.name !== undefined) names.set(id, found.name)
  }
  await endsWithin(NAMES_TIMEOUT_MS, Promise.all([...ids].map(look)))
  return new Map(names)
}
