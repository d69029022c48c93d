import { type At, text } from '../../../web/view/at.ts'
import { Link } from '../../../web/view/link.tsx'
import { actPath } from '../../../web/view/paths.ts'
import { personName } from '../../../web/view/people.tsx'
import type { PermitAnswer } from '../server/api/answers.ts'

/** Acts as it was approved: for who asked. Nothing while it is not approved. */
export function StartButton({ permit }: { permit: PermitAnswer }, at: At) {
  const { isMine, state, canChange, customer, ticket, reason } = permit
  if (!isMine || state !== 'granted' || canChange === undefined) return null
  const asked = {
    ...(ticket !== undefined && { ticket }),
    ...(reason !== undefined && { reason }),
    ...(canChange && { access: 'change' as const }),
  }
  return (
    <Link class="button primary" to={actPath(customer.id, asked)}>
      {text(at, at.words.permits.notice.act, { customer: personName(at, customer) })}
    </Link>
  )
}
