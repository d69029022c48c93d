/** What runs now, ending it, and going on. */
export const running = {} as const
