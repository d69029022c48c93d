/** What every page has: the head, messages, shortcuts, signing in and out. */
export const frame = {} as const
