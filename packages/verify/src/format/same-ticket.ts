import { storable } from './text.ts'

/** Returns the key that tickets are compared by: `sup-1` and `SUP -1` are the same ticket. */
export function ticketKey(ticket: string): string {
  return storable(ticket).normalize('NFKC').replaceAll(/\s/gu, '').toLowerCase()
}

/** No ticket is the same as none. */
export function isSameTicket(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && ticketKey(one) === ticketKey(other)
}
