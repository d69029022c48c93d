import type { Settings } from './settings.ts'

/**
 * The page of a ticket, by a function of the deployment. What it throws, and what is no http or https
 * URL, leaves the link away: a ticket number is what an operator typed.
 */
export function ticketLink(
  ticket: unknown,
  { ticketUrl }: Pick<Settings, 'ticketUrl'>,
): { readonly ticketUrl?: string } {
  if (!ticketUrl || typeof ticket !== 'string' || ticket === '') return {}
  try {
    const url = URL.parse(ticketUrl(ticket))
    return url?.protocol === 'https:' || url?.protocol === 'http:' ? { ticketUrl: url.href } : {}
  } catch {
    return {}
  }
}
