import { endsWithin } from 'oidc-provider-impersonation/siblings'
import {
  type AuditEntry,
  type AuditRow,
  CONSOLE_EVENTS,
  decodeEntry,
  openAlarmOf,
  present,
} from 'oidc-provider-impersonation-verify/format'
import type { StoredEntry } from '../../audit/store.ts'
import { languageOf } from '../../http/language.ts'
import { invalid } from '../../http/problem.ts'
import { numberIn, parseQuery, textIn } from '../../http/query.ts'
import type { UseInWords } from '../../options.ts'
import { reading, settle } from '../audit-trouble.ts'
import { isId } from '../ids.ts'
import type { Call } from '../parts.ts'
import { describedUse, wordsForUse } from '../use-words.ts'
import type {
  AlarmsAnswer,
  AuditAnswer,
  AuditRowAnswer,
  NewerAnswer,
  TimelineAnswer,
  TimelineEntry,
} from './answers.ts'
import { FILTER_PARAMETERS, MAX_TIME_MS, visibleFilter } from './filter.ts'
import { findRow, shownRow } from './rows.ts'

const ROWS_PER_PAGE = { most: 200, without: 50 }
const MAX_ALARMS_SHOWN = 100
/** Of each rank. */
const MAX_ALARMS_READ = 2000
/** The longest cursor, in characters. */
const MAX_CURSOR_LENGTH = 200
/** How long names may take, in milliseconds. */
const NAMES_TIMEOUT_MS = 2000

/** What leads, auditors and customers say of an impersonation, and no request to act. */
const SUPERVISION_EVENTS: ReadonlySet<string> = new Set(
  CONSOLE_EVENTS.filter((event) => event !== 'support.refused' && event !== 'support.continued'),
)

/** `GET /audit` */
export async function searchAudit(call: Call): Promise<void> {
  const { ctx, caller, audit } = call
  const query = parseQuery(ctx.querystring, ...FILTER_PARAMETERS, 'before', 'limit')
  const limit = numberIn(query, 'limit', 1, ROWS_PER_PAGE.most) ?? ROWS_PER_PAGE.without
  const before = textIn(query, 'before', MAX_CURSOR_LENGTH)
  const filter = visibleFilter(query, caller)
  const now = call.now()
  if (before === undefined) await settle(audit)
  const { rows, next } = filter
    ? await reading(() => audit.store.find(filter, { before, limit, now }))
    : { rows: [], next: undefined }
  ctx.body = {
    rows: rows.map((row) => shownRow(row, call)),
    ...present({ next }),
    now,
  } satisfies AuditAnswer
}

/** `GET /audit/newer` */
export async function countNewer(call: Call): Promise<void> {
  const { ctx, caller, audit } = call
  const query = parseQuery(ctx.querystring, ...FILTER_PARAMETERS, 'at', 'id')
  const at = numberIn(query, 'at', 0, MAX_TIME_MS)
  const id = textIn(query, 'id', 43)
  if (at === undefined || id === undefined || !isId(id)) {
    throw invalid('at and id are required: those of the first row')
  }
  const filter = visibleFilter(query, caller)
  const count = filter
    ? await reading(() => audit.store.countNewer(filter, { at, id }, call.now()))
    : 0
  ctx.body = { count } satisfies NewerAnswer
}

/** `GET /audit/:id` */
export async function showRow(call: Call): Promise<void> {
  parseQuery(call.ctx.querystring)
  await settle(call.audit)
  const row = shownRow(await findRow(call), call)
  const names = await findNames(call, [row.acknowledged?.by, row.hold?.by])
  call.ctx.body = { ...row, byNames: Object.fromEntries(names) } satisfies AuditRowAnswer
}

/** `GET /audit/:id/timeline` */
export async function showTimeline(call: Call): Promise<void> {
  const { ctx, caller, audit, settings } = call
  const query = parseQuery(ctx.querystring, 'after', 'limit')
  const wordsOf = useWords(settings.account?.describe, languageOf(ctx, settings.languages))
  const limit = numberIn(query, 'limit', 1, ROWS_PER_PAGE.most) ?? ROWS_PER_PAGE.without
  const after = textIn(query, 'after', MAX_CURSOR_LENGTH)
  const { id } = await findRow(call)
  const stored = await reading(() => audit.store.timeline(id, { after, limit }))
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
      return { ...entry, ...present({ byName }), words: wordsOf(entry) }
    }),
    ...present({ next }),
  } satisfies TimelineAnswer
}

/** `GET /alarms` */
export async function listAlarms(call: Call): Promise<void> {
  const { ctx, audit } = call
  parseQuery(ctx.querystring)
  const now = call.now()
  // What is old as a row may be new as an alarm, and an objection is shown before all others.
  const find = async (alarm: 'open' | 'urgent') => {
    const all: AuditRow[] = []
    let before: string | undefined
    do {
      const page = await audit.store.find({ alarm }, { before, limit: MAX_ALARMS_SHOWN, now })
      all.push(...page.rows)
      before = page.next
    } while (before !== undefined && all.length < MAX_ALARMS_READ)
    return all.toSorted((a, b) => (b.alarm?.at ?? 0) - (a.alarm?.at ?? 0))
  }
  const [urgent, open] = await reading(() => Promise.all([find('urgent'), find('open')]))
  const objectionsFirst = urgent.toSorted((a, b) => Number(isObjection(b)) - Number(isObjection(a)))
  ctx.body = {
    urgent: objectionsFirst.slice(0, MAX_ALARMS_SHOWN).map((row) => shownRow(row, call)),
    notable: open
      .filter((row) => openAlarmOf(row) === 'notable')
      .slice(0, MAX_ALARMS_SHOWN)
      .map((row) => shownRow(row, call)),
    now,
  } satisfies AlarmsAnswer
}

const isObjection = ({ alarm }: AuditRow) => alarm?.kinds.includes('objection') === true

/** Nothing, where the text was removed when its time was over. */
function placed({ cursor, writer, sequence, hash, text, count, lastTime }: StoredEntry) {
  const entry = text === undefined ? undefined : decodeEntry(text)
  if (!entry) return []
  const repeated = lastTime === undefined ? {} : { count, lastTime }
  return [{ ...entry, cursor, writer, sequence, hash, ...repeated } satisfies TimelineEntry]
}

/** What the deployment says of a request; `undefined` where it has no words. It hides nothing here. */
function useWords(describe: UseInWords | undefined, language: string) {
  return ({ use }: AuditEntry): string | undefined => {
    if (!describe || !use) return undefined
    const words = wordsForUse(describedUse(use), describe, language)
    return words.kind === 'shown' ? words.text : undefined
  }
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
