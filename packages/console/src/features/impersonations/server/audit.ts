import { endsWithin } from 'oidc-provider-impersonation/siblings'
import {
  type AuditRow,
  CONSOLE_EVENTS,
  decodeEntry,
  MAX_DATE_MS,
  present,
} from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import type { Read } from '../../../kernel/input.ts'
import type { RowFilter } from '../../../ledger/filters.ts'
import type { StoredEntry } from '../../../ledger/store.ts'
import type { AuditAnswer, ImpersonationAnswer, TimelineEntry } from '../../../web/answers.ts'
import { settle } from '../../../web/audit.ts'
import { cursor, numberParameter } from '../../../web/http/query.ts'
import { zoneOf } from '../../../web/pages/reader.ts'
import type { Call } from '../../../web/parts.ts'
import { findRow, shownRow } from '../../../web/rows.ts'
import { auditWords, describedUse } from '../../../web/use-words.ts'
import { asksForDays, withRange } from '../../../web/when.ts'
import { FILTER, visibleFilter } from './filter.ts'

const rowsPerPage = v.optional(numberParameter(1, 200), '50')
/** How long names may take, in milliseconds. */
const NAMES_TIMEOUT_MS = 2000

/** What leads, auditors and customers say of an impersonation, and no request to act. */
const SUPERVISION_EVENTS: ReadonlySet<string> = new Set(
  CONSOLE_EVENTS.filter((event) => event !== 'support.refused' && event !== 'support.continued'),
)

export const SEARCHED = {
  ...FILTER,
  before: cursor,
  limit: rowsPerPage,
  /** The first row that the reader sees, by time and id. */
  first: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,16}\.[\w-]{43}$/, 'must be the time and the id of a row'),
      v.transform((text) => ({
        at: Math.min(Number(text.slice(0, -44)), MAX_DATE_MS),
        id: text.slice(-43),
      })),
    ),
  ),
}

/** The rows that match. With `first`, those from this one on, and how many are newer. */
export async function searchAudit(
  call: Call & { readonly query: Read<typeof SEARCHED> },
): Promise<AuditAnswer> {
  const { caller, audit } = call
  const { before, limit, first, ...asked } = call.query
  const filter: RowFilter = withRange(asked, zoneOf(call.ctx))
  const now = call.now()
  const answer = { filter, isDays: asksForDays(asked), now, ...present({ before }) }
  const visible = visibleFilter(filter, caller)
  if (before === undefined) await settle(audit)
  const until = first && Math.min(visible.to ?? Number.POSITIVE_INFINITY, first.at + 1)
  const [{ rows, next, lookedTo }, newer] = await Promise.all([
    audit.store.find({ ...visible, ...present({ to: until }) }, { before, limit, now }),
    first && audit.store.countNewer(visible, first, now),
  ])
  const isNewer = ({ at, id }: AuditRow) => first && at === first.at && id > first.id
  return {
    rows: rows.filter((row) => !isNewer(row)).map((row) => shownRow(row, call)),
    ...present({ next, lookedTo, newer }),
    ...answer,
  }
}

export const PART_OF_TIMELINE = { after: cursor, limit: v.optional(numberParameter(1, 200), '100') }

/** One impersonation, with a part of its timeline. */
export async function showImpersonation(
  call: Call & { readonly query: Read<typeof PART_OF_TIMELINE> },
): Promise<ImpersonationAnswer> {
  const { audit, caller, language, provider, query, settings } = call
  await settle(audit)
  const row = shownRow(await findRow(call), call)
  const stored = await audit.store.timeline(row.id, query)
  const found = stored
    .flatMap(placed)
    .filter(({ event }) => caller.role !== 'operator' || !SUPERVISION_EVENTS.has(event))
  const people = [row.acknowledged?.by, row.hold?.by, ...found.map(({ by }) => by)]
  const byNames = await findNames(call, people)
  const next = stored.length === query.limit ? stored.at(-1)?.cursor : undefined
  const entries = found.map((entry) => {
    const { use } = entry
    const words = use && auditWords(describedUse(use), settings.account?.describe, language)
    return { ...entry, words }
  })
  return {
    ...row,
    byNames,
    entries,
    ...present({ next }),
    keys: provider.urlFor('jwks'),
  }
}

/** Nothing, where the text was removed when its time was over. */
function placed({ cursor, number, digest, text }: StoredEntry) {
  const entry = text === undefined ? undefined : decodeEntry(text)
  return entry ? [{ ...entry, cursor, number, digest } satisfies TimelineEntry] : []
}

/** A directory that fails, or is slow, leaves names away. */
async function findNames({ nameOf }: Call, people: ReadonlyArray<string | undefined>) {
  const names = new Map<string, string>()
  const ids = new Set(people.filter((id) => id !== undefined))
  const look = async (id: string) => {
    const found = await nameOf(id).catch(() => undefined)
    if (found?.name !== undefined) names.set(id, found.name)
  }
  await endsWithin(NAMES_TIMEOUT_MS, Promise.all([...ids].map(look)))
  return Object.fromEntries(names)
}
