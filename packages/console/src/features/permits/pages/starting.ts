import type { ActBody } from '../../../web/answers.ts'
import { nameOf } from '../../../web/kit/names.ts'
import { customerPath } from '../../../web/kit/paths.ts'
import { go } from '../../../web/kit/router.tsx'
import type { Session } from '../../../web/session/session.ts'
import type { PermitAnswer } from '../server/api/answers.ts'

/** Acts as the customer, as it was asked for. @returns whether it began */
export async function startBy(session: Session, permit: PermitAnswer): Promise<boolean> {
  const { customer, ticket = '', reason = '', application, applicationName, canChange } = permit
  const duration = durationFor(permit, session.me.durations)
  const body: ActBody = {
    ...{ userId: customer.id, ticketId: ticket, reason, application },
    access: canChange ? 'change' : 'read',
    ...(duration === undefined ? {} : { duration }),
  }
  const hasBegun = await session.start({
    body,
    customer: nameOf(customer),
    application: applicationName,
    again: () => startBy(session, permit),
  })
  if (hasBegun) go(customerPath(customer.id))
  return hasBegun
}

/** Where the request came from code, it says none: the longest that the window has. */
function durationFor(
  { duration, for: window }: PermitAnswer,
  durations: readonly number[],
): number | undefined {
  if (duration !== undefined && durations.includes(duration)) return duration
  const sorted = durations.toSorted((a, b) => a - b)
  return sorted.findLast((each) => each <= window) ?? sorted[0]
}
