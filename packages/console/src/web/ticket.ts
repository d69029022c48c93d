/** The form of a ticket, and its page. */
export interface TicketOptions {
  /** Matches a whole ticket number. Its only flag can be `u`. @defaultValue 1 to 100 characters */
  readonly pattern?: RegExp | undefined
  /**
   * A number that matches, such as `SUP-123`, for an operator who enters something else.
   * @defaultValue no example
   */
  readonly example?: string | undefined
  /**
   * Returns the http or https URL of a ticket. If it throws, the page has no link.
   * @defaultValue no links
   */
  readonly url?: ((ticket: string) => string) | undefined
}

/** Checks whether a text is a whole ticket number. Returns `undefined` if any text can be one. */
export function isTicket(text: string, { pattern }: TicketOptions): boolean | undefined {
  return pattern && new RegExp(`^(?:${pattern.source})$`, 'u').test(text)
}

/**
 * Finds the page of a ticket, by a function of the deployment. If it throws or returns no http or https URL,
 * there is no link: a ticket number is what an operator typed.
 */
export function ticketUrlOf(
  ticket: string | undefined,
  { ticket: { url: urlOf } }: { readonly ticket: TicketOptions },
): string | undefined {
  try {
    const url = ticket ? URL.parse(urlOf?.(ticket) ?? '') : null
    return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined
  } catch {
    return undefined
  }
}
