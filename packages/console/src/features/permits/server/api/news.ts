import type { PermitAnswer } from './answers.ts'
import { rowsUnder } from './lists.ts'
import { wasSeen } from './seen.ts'
import { type PermitCall, shownPermit } from './shown.ts'

/** What became of the requests of a person. */
export interface PermitNews {
  /** Those that were decided, and that the person has neither looked at nor used. */
  readonly decided: readonly PermitAnswer[]
  /** The ids of those that wait. */
  readonly waiting: readonly string[]
}

export async function findNews(call: PermitCall): Promise<PermitNews> {
  const { caller, permits } = call
  if (!permits || caller.role === 'auditor') return { decided: [], waiting: [] }
  const { permits: open } = await permits.listPermits({ operator: caller.id, isOpen: true })
  const own = open.filter(({ kind }) => kind === 'approval')
  const decided = own.filter(({ id, state }) => state !== 'requested' && !wasSeen(call, id))
  const unused = decided.map(async (permit) => {
    if (permit.state === 'granted' && (await rowsUnder(permit, call)).length > 0) return []
    return shownPermit({ permit, approvers: [] }, call)
  })
  return {
    decided: (await Promise.all(unused)).flat(),
    waiting: own.filter(({ state }) => state === 'requested').map(({ id }) => id),
  }
}
