/** What there is of a person: the page, and below the API. */
export const personPath = (id: string) => `/personal-data/${encodeURIComponent(id)}`
export const personApi = (id: string) => `/personal-data/people/${encodeURIComponent(id)}`

/** What a part of the page does: it asks the server, says how that ended, and shows what there is now. */
export type Perform = <T>(path: string, body: object, done: (answer: T) => string) => Promise<void>
