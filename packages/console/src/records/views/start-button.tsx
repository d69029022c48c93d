import { type StaffAt, text } from '../../web/kit/at.ts'
import { ActionButton } from '../../web/kit/form.tsx'
import { personName } from '../../web/kit/people.tsx'
import type { RecordAnswer } from '../../web/record-answer.ts'

/** Acts as it was approved: for who asked. Nothing while it is not approved. */
export function StartButton({ of }: { of: RecordAnswer }, at: StaffAt) {
  const { isMine, state, canChange, customer, duration = 0 } = of
  const { ticket = '', reason = '', application = '' } = of
  if (!customer || !isMine || state !== 'granted' || canChange === undefined) return null
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
        // Code may ask for a time that is no choice: the rule shortens it.
        ...(at.me.durations.includes(duration) && { duration: `${duration}` }),
      }}
    >
      {text(at, at.words.records.notice.act, { customer: personName(at, customer) })}
    </ActionButton>
  )
}
