import type { RunningImpersonation } from '../../../../web/answers.ts'
import { say } from '../../../../web/kit/message.tsx'
import { nameOf, operatorName } from '../../../../web/kit/names.ts'
import { counted, text, words } from '../../../../web/kit/text.tsx'
import { isNotThere } from '../../../../web/session/load.tsx'
import { inWords, mayPass } from '../../../../web/session/problem.ts'
import type { Session } from '../../../../web/session/session.ts'
import { liveOf } from './live.ts'

/** Ends one, and says so. What is over already needs no end: the list is loaded again. */
export async function end(session: Session, it: RunningImpersonation): Promise<void> {
  const { web } = words
  const { running } = words.impersonations
  try {
    await askEnd(session, it)
    const customer = nameOf(it.customer)
    if (it.isMine) say('done', text(running.ended, { customer }))
    else say('done', text(running.endedOther, { operator: operatorName(it), customer }))
  } catch (error) {
    if (isNotThere(error)) return liveOf(session).reload()
    if (!mayPass(error)) return say('refused', inWords(error))
    say('trouble', inWords(error), { label: web.tryAgain, run: () => end(session, it) })
  }
}

/** @throws ApiProblem 404 for what is over already */
async function askEnd(session: Session, it: RunningImpersonation): Promise<void> {
  const path = `/running/${encodeURIComponent(it.id)}/end`
  await session.ask(path, { method: 'POST', body: {} })
  liveOf(session).ended(it)
  session.changed(it.id)
}

/** Ends what is in the way of another one, and says nothing. */
export async function makeWay(
  session: Session,
  those: readonly RunningImpersonation[],
): Promise<void> {
  for (const it of those) {
    await askEnd(session, it).catch((error: unknown) => {
      if (!isNotThere(error)) throw error
    })
  }
}

/** Ends all of an operator. @param operator the account id */
export async function endAll(session: Session, operator: string): Promise<void> {
  const { web } = words
  const { running } = words.impersonations
  try {
    const { ended } = await session.ask<{ ended: number }>('/running/end', {
      method: 'POST',
      body: { operator },
    })
    say('done', counted(running.endedAll, ended))
  } catch (error) {
    if (!mayPass(error)) say('refused', inWords(error))
    else {
      const run = () => endAll(session, operator)
      say('trouble', inWords(error), { label: web.tryAgain, run })
    }
  }
  session.changed()
  await liveOf(session).reload()
}
