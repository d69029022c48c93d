/** The page on which customers see who acted as them. */
export const account = {} as const
