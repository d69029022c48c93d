import type { HandOver } from '../../api/console/answers.ts'
import type { PermitAnswer } from '../../api/permits/answers.ts'
import { customerPath } from '../kit/paths.ts'
import { go } from '../kit/router.tsx'
import { makeWay } from '../running/ending.ts'
import { handOver } from '../running/hand-over.ts'
import { liveOf } from '../running/live.ts'
import { nameOf } from '../running/names.ts'
import type { Session } from '../session/session.ts'

/** Acts as the customer, with ticket, reason and access of the request. @returns whether it began */
export async function startBy(session: Session, permit: PermitAnswer): Promise<boolean> {
  const { customer, ticket = '', reason = '', application, applicationName, canChange } = permit
  const [duration] = session.me.durations
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
