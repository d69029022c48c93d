import type { RecordAnswer } from '../../../../web/record-answer.ts'
import { rowsUnder } from './find.ts'
import { findRecords } from './read.ts'
import { wasSeen } from './seen.ts'
import { type PermitCall, shownRecord } from './shown.ts'

/** What became of the requests of a person. */
export interface News {
  /** Those that were decided, and that the person has neither looked at nor used. */
  readonly decided: readonly RecordAnswer[]
  /** The ids of those that wait. */
  readonly waiting: readonly string[]
}

export async function findNews(call: PermitCall): Promise<News> {
  const { caller, now, permits } = call
  if (!permits || caller.role === 'auditor') return { decided: [], waiting: [] }
  const found = await findRecords(call, { operator: caller.id, notOverAt: now() })
  const own = found.filter(({ kind }) => kind === 'approval')
  const isNews = ({ id, state }: RecordAnswer) =>
    (state === 'granted' || state === 'declined') && !wasSeen(call, id)
  const unused = own
    .map((record) => shownRecord(record, call, []))
    .filter(isNews)
    .map(async (shown) => {
      const isUsed = shown.state === 'granted' && (await rowsUnder(shown, call)).length > 0
      return isUsed ? [] : [shown]
    })
  return {
    decided: (await Promise.all(unused)).flat(),
    waiting: own.filter(({ state }) => state === 'requested').map(({ id }) => id),
  }
}
