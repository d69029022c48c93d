/** The page of a customer, below the path of the console. */
export const customerPath = (id: string) => `/customers/${encodeURIComponent(id)}`

/** The form to act as a customer. */
export const actPath = (id: string) => `/act?${new URLSearchParams({ user: id })}`
