import type { HandOver } from '../../api/console/answers.ts'
import type { PermitAnswer } from '../../api/permits/answers.ts'
import { customerPath } from '../kit/paths.ts'
import { go } from '../kit/router.tsx'
import { makeWay } from '../running/ending.ts'
import { handOver } from '../running/hand-over.ts'
import { liveOf } from '../running/live.ts'
import { nameOf } from '../running/names.ts'
import type { Session } from '../session/session.ts'

/** Acts as the customer, as it was asked for. @returns whether it began */
export async function startBy(session: Session, permit: PermitAnswer): Promise<boolean> {
  const { customer, ticket = '', reason = '', application, applicationName, canChange } = permit
  const duration = durationOf(permit, session.me.durations)
  const body = {
    ...{ userId: customer.id, ticketId: ticket, reason, application },
    access: canChange ? 'change' : 'read',
    ...(duration === undefined ? {} : { duration }),
  }
  const inTheWay = (liveOf(session).state.running ?? []).filter(
    (it) => it.isMine && it.application === applicationName,
  )
  const done = await handOver(session, {
    name: nameOf(customer),
    async ask() {
      const issued = await session.ask<HandOver>('/impersonations', { method: 'POST', body })
      // After the issue, so that a refusal ends nothing.
      await makeWay(session, inTheWay)
      return issued
    },
    again: () => startBy(session, permit),
  })
  if (done) go(customerPath(customer.id))
  return done !== undefined
}

/** Where the request came from code, it says none: the longest that the window has. */
function durationOf(
  { duration, for: window }: PermitAnswer,
  durations: readonly number[],
): number | undefined {
  if (duration !== undefined && durations.includes(duration)) return duration
  const sorted = durations.toSorted((a, b) => a - b)
  return sorted.findLast((each) => each <= window) ?? sorted[0]
}
