/** What there is of a person: the page, and below the API. */
export const personPath = (id: string) => `/personal-data/${encodeURIComponent(id)}`
export const personApi = (id: string) => `/personal-data/people/${encodeURIComponent(id)}`
