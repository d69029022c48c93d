/** Search, the form that asks for the reason, and handing over to the application. */
export const operators = {} as const
