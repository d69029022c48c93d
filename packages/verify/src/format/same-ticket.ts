import { storable } from './text.ts'

/** What tickets are compared by, wherever that is: `sup-1` and `SUP -1`, as people write them, are one. */
export function ticketKey(ticket: string): string {
  return storable(ticket).normalize('NFKC').replaceAll(/\s/gu, '').toLowerCase()
}

/** No ticket is the same as none. */
export function isSameTicket(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && ticketKey(one) === ticketKey(other)
}
