import type { Need } from 'oidc-provider-impersonation'
import { present } from 'oidc-provider-impersonation-verify/format'
import type { ActBody } from '../answers.ts'
import { Problem } from '../http/problem.ts'
import type { Call } from '../parts.ts'
import type { RecordAnswer } from '../record-answer.ts'
import { requestFor } from './asked-for.ts'

/** The answer that an operator would get now. It is no promise: a start asks again. */
export interface Foreseen {
  readonly verdict: 'allowed' | 'needs' | 'refused'
  /** The part that refuses, for `'refused'`. */
  readonly by?: 'protected' | 'role' | 'rule' | 'self' | 'stop'
  /** The sentence of the directory, for `'protected'`. */
  readonly reason?: string
  readonly record?: RecordAnswer
  /** The longest time in seconds, if known, for `'allowed'`. */
  readonly seconds?: number
  /** The permits that allow it, for `'allowed'`. */
  readonly permits?: readonly string[]
  /** The approvals, for `'needs'`. */
  readonly needs?: readonly Need[]
  /** The people who can give it, as an operator reads it, for `'needs'` if the console has permits. */
  readonly approval?: object
}

/** Finds the answer that the operator would get. The rule sees the request of the caller. */
export async function foresee(call: Call, body: ActBody): Promise<Foreseen> {
  try {
    const asked = await requestFor(call, body)
    const { verdict, accessTokenTtl, permit, needs, emergency } = await call.preview(
      asked.request,
      call.ctx,
    )
    if (verdict === 'refused') return { verdict, by: 'rule' }
    if (verdict === 'allowed') {
      const limits = [accessTokenTtl, body.duration].flatMap((seconds) => seconds ?? [])
      return {
        verdict,
        ...(limits.length > 0 ? { seconds: Math.min(...limits) } : {}),
        ...(permit === undefined ? {} : { permits: [permit].flat() }),
      }
    }
    const approval = await call.gate.findApproval(call, asked, body, { by: needs ?? [], emergency })
    return { verdict, ...present({ needs, approval }) }
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.statusCode !== 403) throw problem
    if (problem.error === 'own_account') return { verdict: 'refused', by: 'self' }
    if (problem.error === 'access_denied') {
      return { verdict: 'refused', by: 'protected', reason: problem.message }
    }
    if (problem.error !== 'stopped') throw problem
    return { verdict: 'refused', by: 'stop', ...(problem.more as { record: RecordAnswer }) }
  }
}
