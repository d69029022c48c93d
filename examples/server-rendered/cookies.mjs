import { EncryptJWT, jwtDecrypt } from 'jose'

/** From the form to the callback. */
export const BEGUN = '__Host-impersonation-begun'
/** While an operator acts, and for an hour after it. */
export const ACTING = '__Host-impersonation'

const KEY = Buffer.from(process.env.COOKIE_KEY ?? '', 'base64url')
if (KEY.length !== 32) throw new TypeError('COOKIE_KEY must be 32 random bytes, base64url')
const options = { path: '/', secure: true, httpOnly: true, sameSite: 'lax' }

export async function keep(response, name, data, seconds) {
  const sealed = await new EncryptJWT({ data })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setAudience(name)
    .setExpirationTime(new Date(Date.now() + seconds * 1000))
    .encrypt(KEY)
  response.cookie(name, sealed, { ...options, maxAge: seconds * 1000 })
}

/** What was kept in this browser, or `undefined`. `isOver` tells whether its time has passed. */
export async function kept(request, name) {
  const cookies = (request.get('cookie') ?? '').split('; ')
  const sealed = cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1)
  if (!sealed) return undefined
  try {
    const { payload } = await jwtDecrypt(sealed, KEY, { audience: name })
    return { ...payload.data, isOver: payload.data.expiresAt <= Date.now() }
  } catch {
    return undefined
  }
}

export function clear(response, name) {
  response.clearCookie(name, options)
}
