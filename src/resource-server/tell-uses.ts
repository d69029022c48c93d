import { randomUUID } from 'node:crypto'
import { IMPERSONATED_JTI_PREFIX } from '../shared/constants.ts'
import { afterAnswer, statusOf } from './answer.ts'
import type { Caller } from './caller.ts'
import type { ImpersonationUse, OnImpersonatedRequest, UseRefusal } from './impersonation-use.ts'
import type { ResolvedResourceServerOptions } from './options.ts'
import type { Presented } from './request.ts'

/** In milliseconds: a function that takes longer is told of, once for each use. */
const PATIENCE = 30_000

/** A request of an impersonation that was judged. */
interface Judged {
  readonly presented: Presented
  readonly caller: Caller
  /** When it came. */
  readonly time: number
  readonly refused: UseRefusal | undefined
}

/** What a function is told of a request, or will be. */
interface Noted {
  readonly listener: OnImpersonatedRequest
  readonly jti: unknown
  refused: UseRefusal | undefined
  isTold: boolean
}

/**
 * By request and by response. Several guards, of one `resourceServer()` or of several, may judge one
 * request, and see it as different objects.
 */
const notedOf = new WeakMap<object, Noted[]>()

/**
 * Tells `onImpersonatedRequest` of the requests of impersonations: once for each request, function
 * and token. A refusal is never lost: of several guards the first refusal is told, and one that comes
 * after the call is told by a call of its own.
 */
export function useTeller({
  audience,
  onImpersonatedRequest: listener,
}: ResolvedResourceServerOptions): (judged: Judged) => void {
  if (!listener) return () => {}

  return (judged) => {
    const { presented, caller, refused } = judged
    if (!caller.isImpersonated) return
    const { jti } = caller.claims
    const keys = keysOf(presented)
    const before = keys
      .flatMap((key) => notedOf.get(key) ?? [])
      .findLast((each) => each.listener === listener && each.jti === jti)
    if (before && (!refused || before.refused)) return
    if (before && !before.isTold) {
      before.refused = refused
      return
    }
    const noted: Noted = { listener, jti, refused, isTold: false }
    for (const key of keys) notedOf.set(key, [...(notedOf.get(key) ?? []), noted])
    afterAnswer(presented.response, () => {
      noted.isTold = true
      tell(listener, useOf({ ...judged, refused: noted.refused }, audience))
    })
  }
}

function keysOf({ request, response }: Presented): object[] {
  const inner: unknown = request && 'raw' in request ? request.raw : undefined
  return [response, request, inner].filter((key) => typeof key === 'object' && key !== null)
}

function useOf({ presented, caller, time, refused }: Judged, audience: string): ImpersonationUse {
  const { subject, actor, claims } = caller
  const id = idOf(claims.jti)
  const { method, target } = presented
  const status = statusOf(presented.response)
  return Object.freeze({
    useId: randomUUID(),
    time,
    ...(id === undefined ? {} : { id }),
    subject,
    ...(actor ? { actor } : {}),
    client: String(claims.client_id),
    audience,
    ...(method === undefined ? {} : { method }),
    ...(target === undefined ? {} : { path: pathOf(target) }),
    ...(status === undefined ? {} : { status }),
    ...(refused ? { refused } : {}),
  })
}

function idOf(jti: unknown): string | undefined {
  if (typeof jti !== 'string' || !jti.startsWith(IMPERSONATED_JTI_PREFIX)) return undefined
  return jti.slice(IMPERSONATED_JTI_PREFIX.length) || undefined
}

/** The path of a request target in origin form, absolute form or asterisk form: RFC 9112 §3.2. */
function pathOf(target: string): string {
  const path = target.replace(/[?#].*$/s, '').replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
  return path === '' ? '/' : path
}

function tell(listener: OnImpersonatedRequest, use: ImpersonationUse): void {
  const { useId } = use
  const warn = (message: string) => process.emitWarning(message, 'ImpersonationWarning')
  const failed = (error: unknown) => {
    const reason = error instanceof Error ? error.message : 'no Error'
    warn(`onImpersonatedRequest failed (${reason}): the use ${useId} may not be recorded`)
  }
  try {
    const answer: unknown = listener(use)
    if (typeof answer !== 'object' || answer === null || !('then' in answer)) return
    const late = setTimeout(() => {
      const after = `${PATIENCE / 1000} s`
      warn(
        `onImpersonatedRequest has not settled after ${after}: the use ${useId} may not be recorded`,
      )
    }, PATIENCE)
    late.unref()
    Promise.resolve(answer)
      .catch(failed)
      .finally(() => clearTimeout(late))
  } catch (error) {
    failed(error)
  }
}
