import { alarmDueAt, isAlarmOpen } from './alarm.ts'
import { noticeDueAt } from './delivery.ts'
import { digestOf } from './digest.ts'
import { present } from './present.ts'
import type { AuditRow } from './row.ts'
import { ticketKey } from './same-ticket.ts'
import { storable } from './text.ts'
import { rowWordsOf } from './words.ts'

/**
 * Columns that a search needs beside the members of a row. A database stores both side by side, so
 * that what is proved of a row is proved of its columns.
 */
export interface RowFound {
  /** Account ids: see {@link indexable}. */
  readonly customer?: string | undefined
  readonly operator?: string | undefined
  /** See `ticketKey` and {@link indexable}. */
  readonly ticket?: string | undefined
  /** Of the last alarm, where no lead has acknowledged it. Times are in milliseconds since the epoch. */
  readonly openAlarmAt?: number | undefined
  /** Of a row on hold. */
  readonly heldAt?: number | undefined
  /** When the customer is to be told something. */
  readonly customerDueAt?: number | undefined
  /** When the deployment is to be told of an alarm. */
  readonly deploymentDueAt?: number | undefined
  /** See `rowWordsOf`: with a space between two words. */
  readonly words: string
}

/** A row as it is kept and exported. */
export type StoredRow = AuditRow & { readonly found: RowFound }

export function storedRowOf(row: AuditRow): StoredRow {
  const { customer, operator, ticket, alarm, hold } = row
  const found = {
    customer: customer && indexable(customer.id),
    operator: operator && indexable(operator.id),
    ticket: ticket === undefined ? undefined : indexable(ticketKey(ticket)),
    openAlarmAt: isAlarmOpen(row) ? alarm?.at : undefined,
    heldAt: hold?.isHeld ? hold.at : undefined,
    customerDueAt: noticeDueAt(row),
    deploymentDueAt: alarmDueAt(row),
  }
  return { ...row, found: { ...present(found), words: rowWordsOf(row).join(' ') } }
}

const MAX_INDEXED_CHARACTERS = 200

/**
 * An index of PostgreSQL takes no more than 2704 bytes: a ticket number that is longer must not make
 * the whole audit fail. Of a long text the digest is compared.
 */
export function indexable(text: string): string {
  return text.length <= MAX_INDEXED_CHARACTERS ? storable(text) : digestOf(storable(text))
}
