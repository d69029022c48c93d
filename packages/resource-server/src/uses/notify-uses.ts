import { randomUUID } from 'node:crypto'
import { IMPERSONATED_JTI_PREFIX, personAndSoftware } from '../act.ts'
import type { Caller } from '../caller.ts'
import type { ResolvedResourceServerOptions } from '../options.ts'
import { type ApiResponse, isOver, type Presented } from '../request.ts'
import type { ImpersonationUse, OnImpersonatedRequest, UseRefusal } from './impersonation-use.ts'

/** The time in milliseconds after which a slow function leads to a warning, once for each use. */
const RESPONSE_WAIT_MS = 30_000

/** A request of an impersonation that was judged. */
interface Judged {
  readonly presented: Presented
  readonly caller: Caller
  /** The time of its arrival. */
  readonly time: number
  readonly refused: UseRefusal | undefined
}

/** A notification that was sent, or will be. */
interface Noted {
  readonly listener: OnImpersonatedRequest
  readonly jti: unknown
  refused: UseRefusal | undefined
  isNotified: boolean
  /** Notifies the function, unless it is notified already. */
  readonly notify: (status?: number) => void
}

/**
 * Notifications by request and by response. Several guards, of one `resourceServer()` or of
 * several, may judge one request, and see it as different objects.
 */
const notedOf = new WeakMap<object, Noted[]>()

/**
 * Notifies `onImpersonatedRequest` of the requests of impersonations, once for each request,
 * function and token. A refusal is never lost. If several guards refuse, the first refusal is
 * announced. A refusal after the call gets a call of its own.
 *
 * @returns a function that waits for the response, unless `isOpen` is set because the connection
 * stays open
 */
export function createUseNotifier({
  audience,
  onImpersonatedRequest: listener,
}: ResolvedResourceServerOptions): (judged: Judged, how?: { readonly isOpen: boolean }) => void {
  if (!listener) return () => {}

  return (judged, { isOpen } = { isOpen: false }) => {
    const { presented, caller, refused } = judged
    if (!caller.isImpersonated) return
    const { jti } = caller.claims
    const keys = [caller, ...keysOf(presented)]
    const before = keys
      .flatMap((key) => notedOf.get(key) ?? [])
      .findLast((each) => each.listener === listener && each.jti === jti)
    if (before && isOpen) return before.notify()
    if (before && (!refused || before.refused)) return
    if (before && !before.isNotified) {
      before.refused = refused
      return
    }
    const noted: Noted = {
      listener,
      jti,
      refused,
      isNotified: false,
      notify(status) {
        if (noted.isNotified) return
        noted.isNotified = true
        notify(listener, buildUse({ ...judged, refused: noted.refused }, audience, status))
      },
    }
    for (const key of keys) notedOf.set(key, [...(notedOf.get(key) ?? []), noted])
    if (isOpen) noted.notify()
    else afterAnswer(presented.response, () => noted.notify(statusOf(presented.response)))
  }
}

function keysOf({ request, response }: Presented): object[] {
  const inner: unknown = request && 'raw' in request ? request.raw : undefined
  return [response, request, inner].filter((key) => typeof key === 'object' && key !== null)
}

function buildUse(
  { presented, caller, time, refused }: Judged,
  audience: string,
  status: number | undefined,
): ImpersonationUse {
  const { userId, actor, claims } = caller
  const id = parseImpersonationId(claims.jti)
  const { method, target } = presented
  return Object.freeze({
    useId: randomUUID(),
    timeMs: time,
    ...(id === undefined ? {} : { id }),
    userId,
    ...personAndSoftware(actor),
    client: String(claims.client_id),
    audience,
    ...(method === undefined ? {} : { method }),
    ...(target === undefined ? {} : { path: parsePath(target) }),
    ...(status === undefined ? {} : { status }),
    ...(refused ? { refused } : {}),
  })
}

function parseImpersonationId(jti: unknown): string | undefined {
  if (typeof jti !== 'string' || !jti.startsWith(IMPERSONATED_JTI_PREFIX)) return undefined
  return jti.slice(IMPERSONATED_JTI_PREFIX.length) || undefined
}

/** The path of a request target in origin form, absolute form or asterisk form: RFC 9112 §3.2. */
function parsePath(target: string): string {
  const path = target.replace(/[?#].*$/s, '').replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
  return path === '' ? '/' : path
}

function notify(listener: OnImpersonatedRequest, use: ImpersonationUse): void {
  const { useId } = use
  const warn = (message: string) =>
    process.emitWarning(message, { type: 'ImpersonationWarning', code: 'USE_NOT_RECORDED' })
  const failed = (error: unknown) => {
    const reason = error instanceof Error ? error.message : 'no Error'
    warn(`onImpersonatedRequest failed (${reason}): the use ${useId} may not be recorded`)
  }
  try {
    const answer: unknown = listener(use)
    if (typeof answer !== 'object' || answer === null || !('then' in answer)) return
    const late = setTimeout(() => {
      const after = `${RESPONSE_WAIT_MS / 1000} s`
      warn(
        `onImpersonatedRequest has not settled after ${after}: the use ${useId} may not be recorded`,
      )
    }, RESPONSE_WAIT_MS)
    late.unref()
    Promise.resolve(answer)
      .catch(failed)
      .finally(() => clearTimeout(late))
  } catch (error) {
    failed(error)
  }
}

/**
 * Calls `act` once, after the response is sent or the client has gone, and never before the caller
 * goes on. Node's own responses always emit `'close'`; others may lack it.
 *
 * @param response - if it is `undefined`, there is nothing to wait for
 */
function afterAnswer(response: ApiResponse | undefined, act: () => void): void {
  if (!response || isOver(response)) {
    setImmediate(act)
    return
  }
  let isDone = false
  const once = () => {
    if (!isDone) act()
    isDone = true
  }
  response.once('finish', once)
  response.once('close', once)
}

/** The status that the client got; `undefined` if it got none. */
function statusOf(response: ApiResponse | undefined): number | undefined {
  return response?.headersSent ? response.statusCode : undefined
}
