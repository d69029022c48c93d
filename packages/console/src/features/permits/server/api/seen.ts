import { cookiePlace, readCookie, writeCookie } from '../../../../web/sign-in/cookie.ts'
import type { PermitCall } from './shown.ts'

/** What a browser remembers of decisions that its reader has looked at. */
const MAX_SEEN = 20
/** No refusal holds longer, in seconds. */
const SEEN_SECONDS = 86_400

const placeOf = ({ settings }: PermitCall) => {
  const place = cookiePlace(settings.clientId, settings.url)
  return { ...place, name: `${place.name}-seen` }
}

const seenIn = (call: PermitCall) => readCookie(call.ctx, placeOf(call).name)?.split('.') ?? []

/** Whether the reader has looked at a decision in this browser. */
export const wasSeen = (call: PermitCall, id: string) => seenIn(call).includes(id)

/** Keeps that the reader looks at a decision: it is not told any more. */
export function keepSeen(call: PermitCall, id: string): void {
  if (call.ctx.get('Authorization') !== '' || wasSeen(call, id)) return
  const ids = [...seenIn(call).slice(1 - MAX_SEEN), id]
  writeCookie(call.ctx, placeOf(call), ids.join('.'), SEEN_SECONDS)
}
