/** In seconds. The guard asks for a list again after a failure once this time has passed. */
export const RETRY_AFTER = 1

/**
 * The status list of an impersonated access token cannot be had, and no copy of it is young enough.
 * The token may be good: this is trouble of the API and its provider, not an invalid token.
 *
 * Koa, Express, Connect and Fastify answer an error with these members by a 503 with `Retry-After`.
 */
export class StatusUnavailable extends Error {
  override name = 'StatusUnavailable'
  readonly status = 503
  /** As Fastify and Connect read it. */
  readonly statusCode = 503
  readonly headers = { 'Retry-After': String(RETRY_AFTER), 'Cache-Control': 'no-store' }

  constructor(uri: string, cause: unknown) {
    super(`the status list ${uri} cannot be had`, { cause })
  }
}
