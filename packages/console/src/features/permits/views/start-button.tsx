import { type StaffAt, text } from '../../../web/kit/at.ts'
import { ActionButton } from '../../../web/kit/form.tsx'
import { personName } from '../../../web/kit/people.tsx'
import type { PermitAnswer } from '../server/api/answers.ts'

/** Acts as it was approved: for who asked. Nothing while it is not approved. */
export function StartButton({ permit }: { permit: PermitAnswer }, at: StaffAt) {
  const { isMine, state, canChange, customer, ticket = '', reason = '', application } = permit
  if (!isMine || state !== 'granted' || canChange === undefined) return null
  const duration = durationFor(permit, at.me.durations)
  return (
    <ActionButton
      opens
      action="/impersonations"
      kind="primary"
      fields={{
        ...{ userId: customer.id, ticketId: ticket, reason, application, instead: 'true' },
        access: canChange ? 'change' : 'read',
        ...(duration === undefined ? {} : { duration: `${duration}` }),
      }}
    >
      {text(at, at.words.permits.notice.act, { customer: personName(at, customer) })}
    </ActionButton>
  )
}

/** A request from code says none: then the longest that the window has. */
function durationFor(
  { duration, for: window }: PermitAnswer,
  durations: readonly number[],
): number | undefined {
  if (duration !== undefined && durations.includes(duration)) return duration
  const sorted = durations.toSorted((a, b) => a - b)
  return sorted.findLast((each) => each <= window) ?? sorted[0]
}
