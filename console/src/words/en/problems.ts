/** Errors, said to people. */
export const problems = {} as const
