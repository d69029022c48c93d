import { Redis } from 'ioredis'
import { createImpersonations } from 'oidc-provider-impersonation-browser/server'

let made: ReturnType<typeof make> | undefined

/** Created at the first request, because `next build` loads this module without your secrets. */
export const impersonations = () => (made ??= make())

function make() {
  const { ISSUER = '', CLIENT_ID = '', CLIENT_SECRET = '', ORIGIN = '' } = process.env
  const { API = '', BACK_OFFICE = '', RESOURCE = '', REDIS_URL = '' } = process.env
  const redis = new Redis(REDIS_URL)
  const key = (id: string) => `shop:${id}`

  return createImpersonations({
    issuer: ISSUER,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    redirectUri: `${ORIGIN}/impersonation`,
    from: BACK_OFFICE,
    resource: RESOURCE,
    scope: 'orders:read',
    origins: [API],
    store: {
      get: (id) => redis.get(key(id)),
      set: (id, value, expiresAtMs) => redis.set(key(id), value, 'PXAT', expiresAtMs),
      delete: (id) => redis.del(key(id)),
    },
  })
}
