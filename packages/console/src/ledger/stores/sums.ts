import type { StoredRow } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditRow,
  RECORD_KINDS,
  RECORD_STATES,
  type StoredRecord,
} from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import type { SchemasOf } from '../../kernel/input.ts'
import type { FiledSum, KeptRecord, Sum } from '../store.ts'
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
    if (success) return output
    throw new Error('the storage of the audit has a permit that cannot be read')
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
    permitIn: (columns: ResultRow): KeptRecord => {
      return { ...storedPermitIn(columns), last: numberIn(columns, 'version') }
    },
    sumIn: (columns: ResultRow): Sum | 'unreadable' =>
      orUnreadable(() => {
        const version = numberIn(columns, 'version')
        return columns.kind === 'record'
          ? { kind: 'record', version, permit: storedPermitIn(columns) }
          : { kind: 'impersonation', version, row: rowIn(columns) }
      }),
    /** As an export has it: of what cannot be read, the id alone. */
    filedIn(columns: ResultRow): FiledSum {
      const kind = columns.kind === 'record' ? columns.kind : 'impersonation'
      const read = kind === 'record' ? storedPermitIn : storedRowIn
      const sum = orUnreadable(() => read(columns))
      const value = sum === 'unreadable' ? { id: columns.id } : sum
      return { kind, value: kind === 'record' ? { ...value, first: columns.first } : value }
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

const mayBeText = v.optional(v.string())
const mayBeTime = v.optional(v.number())

const PERMIT = v.object({
  id: v.string(),
  version: v.number(),
  kind: v.picklist(RECORD_KINDS),
  at: v.number(),
  customer: mayBeText,
  operator: mayBeText,
  slot: mayBeText,
  state: v.picklist(RECORD_STATES),
  isReviewDue: v.boolean(),
  overAt: mayBeTime,
  customerDueAt: mayBeTime,
  deploymentDueAt: mayBeTime,
  data: v.string(),
} satisfies SchemasOf<StoredRecord>)
