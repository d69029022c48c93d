/** What the guard asks for. It is a part of the `RequestInit` of the Fetch API. */
export interface FetchInit {
  readonly method?: 'GET'
  readonly headers?: Headers | Record<string, string>
  readonly redirect?: 'manual'
  readonly signal: AbortSignal
}

/** The global `fetch`, or a function that behaves like it. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>

/** Looks the global up at each call, so that what replaces it later (a tracer) is used. */
export const globalFetch: Fetch = (url, init) => fetch(url, init)
