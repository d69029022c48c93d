import { type StaffAt, text } from '../../../web/kit/at.ts'
import { ActionButton } from '../../../web/kit/form.tsx'
import { personName } from '../../../web/kit/people.tsx'
import type { RecordAnswer } from '../../../web/record-answer.ts'

/** Acts as it was approved: for who asked. Nothing while it is not approved. */
export function StartButton({ of }: { of: RecordAnswer }, at: StaffAt) {
  const { isMine, state, canChange, customer, ticket = '', reason = '', application = '' } = of
  if (!customer || !isMine || state !== 'granted' || canChange === undefined) return null
  const duration = durationFor(of, at.me.durations)
  return (
    <ActionButton
      opens
      action="/impersonations"
      kind="primary"
      fields={{
        userId: customer.id,
        ticketId: ticket,
        reason,
        application,
        instead: 'true',
        access: canChange ? 'change' : 'read',
        ...(duration === undefined ? {} : { duration: `${duration}` }),
      }}
    >
      {text(at, at.words.records.notice.act, { customer: personName(at, customer) })}
    </ActionButton>
  )
}

/** A request from code says none: then the longest that the window has. */
function durationFor(
  { duration, for: window = 0 }: RecordAnswer,
  durations: readonly number[],
): number | undefined {
  if (duration !== undefined && durations.includes(duration)) return duration
  const sorted = durations.toSorted((a, b) => a - b)
  return sorted.findLast((each) => each <= window) ?? sorted[0]
}
