import type { Need } from 'oidc-provider-impersonation'
import { present } from 'oidc-provider-impersonation-verify/format'
import type { ActBody } from '../answers.ts'
import { Problem } from '../http/problem.ts'
import type { Call } from '../parts.ts'
import type { PauseAnswer } from '../pause-answers.ts'
import { requestFor } from './asked-for.ts'

/** What would be answered to the operator now. It is no promise: a start asks again. */
export interface Foreseen {
  readonly verdict: 'allowed' | 'needs' | 'refused'
  /** Of `'refused'`: what refuses. */
  readonly by?: 'pause' | 'protected' | 'role' | 'rule' | 'self'
  /** Of `'protected'`: the sentence of the directory. */
  readonly reason?: string
  readonly pause?: PauseAnswer
  /** Of `'allowed'`: how long at most, in seconds, where that is known. */
  readonly seconds?: number
  /** Of `'allowed'`: the permits by which. */
  readonly permits?: readonly string[]
  /** Of `'needs'`: whose approval. */
  readonly needs?: readonly Need[]
  /** Of `'needs'`, where the console has permits: who can give it, as an operator is told it. */
  readonly approval?: object
}

/** What the operator would be answered. The rule sees the request of the caller. */
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
    if (problem.error !== 'paused') throw problem
    return { verdict: 'refused', by: 'pause', ...(problem.more as { pause: PauseAnswer }) }
  }
}
