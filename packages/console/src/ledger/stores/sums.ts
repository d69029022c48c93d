import type { StoredRow } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditRow,
  RECORD_KINDS,
  RECORD_STATES,
  type StoredRecord,
} from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import type { SchemasOf } from '../../kernel/input.ts'
import type { KeptRecord, Sum } from '../store.ts'
import { numberIn, type ResultRow } from './stored-columns.ts'

/** Reads sums, of columns `data`, `version` and `kind`. Text that the store did not write is no sum. */
export function sumReader(isCanonical: (text: string, value: unknown) => boolean) {
  function valueIn({ data }: ResultRow): unknown {
    const value: unknown = typeof data === 'string' ? JSON.parse(data) : undefined
    return typeof data === 'string' && isCanonical(data, value) ? value : undefined
  }

  function storedRowIn(columns: ResultRow): StoredRow {
    const row = valueIn(columns)
    if (!isRow(row)) throw new Error('the storage of the audit has a row that cannot be read')
    // PostgreSQL keeps members in an order of its own.
    const { id, at, lastAt, ...others } = row
    return { id, at, lastAt, ...others }
  }

  function rowIn(columns: ResultRow): AuditRow {
    const { found: _, ...row } = storedRowIn(columns)
    return row
  }

  function storedPermitIn(columns: ResultRow): StoredRecord {
    const { success, output } = v.safeParse(PERMIT, valueIn(columns))
    if (!success) throw new Error('the storage of the audit has a permit that cannot be read')
    const { customer, operator, slot, overAt, ...rest } = output
    return { ...rest, customer, operator, slot, overAt }
  }

  const permitIn = (columns: ResultRow): KeptRecord => {
    return { ...storedPermitIn(columns), last: numberIn(columns, 'version') }
  }

  const orUnreadable = <T>(read: () => T): T | 'unreadable' => {
    try {
      return read()
    } catch {
      return 'unreadable'
    }
  }

  return {
    rowIn,
    permitIn,
    sumIn: (columns: ResultRow): Sum | 'unreadable' =>
      orUnreadable(() => {
        const version = numberIn(columns, 'version')
        return columns.kind === 'record'
          ? { kind: 'record', version, permit: storedPermitIn(columns) }
          : { kind: 'impersonation', version, row: rowIn(columns) }
      }),
    /** As an export has it: of what cannot be read, the id alone. */
    filedIn(columns: ResultRow): object {
      const read = columns.kind === 'record' ? storedPermitIn : storedRowIn
      const sum = orUnreadable(() => read(columns))
      return sum === 'unreadable' ? { id: columns.id } : sum
    },
  }
}

const ROW = v.object({
  id: v.string(),
  ...v.entriesFromList(
    ['at', 'lastAt', 'reads', 'changes', 'refused', 'failed', 'denied', 'replays'],
    v.pipe(v.number(), v.finite()),
  ),
})

function isRow(value: unknown): value is StoredRow {
  return v.is(ROW, value)
}

const PERMIT = v.object({
  id: v.string(),
  version: v.number(),
  kind: v.picklist(RECORD_KINDS),
  at: v.number(),
  customer: v.optional(v.string()),
  operator: v.optional(v.string()),
  slot: v.optional(v.string()),
  state: v.picklist(RECORD_STATES),
  isReviewDue: v.boolean(),
  overAt: v.optional(v.number()),
  customerDueAt: v.optional(v.number()),
  deploymentDueAt: v.optional(v.number()),
  data: v.string(),
} satisfies SchemasOf<StoredRecord>)
