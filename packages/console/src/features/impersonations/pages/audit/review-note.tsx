import {
  AFTER_REFUSAL,
  EMERGENCY,
  REVIEW_SEPARATOR,
  unapprovedIn,
} from 'oidc-provider-impersonation-verify/format'
import type { RowAnswer } from '../../../../web/answers.ts'
import { personName } from '../../../../web/kit/in-words.tsx'
import { permitPath } from '../../../../web/kit/paths.ts'
import { Link } from '../../../../web/kit/router.tsx'
import { Text, words } from '../../../../web/kit/text.tsx'
import type { Session } from '../../../../web/session/session.ts'

const { impersonation: labels } = words.impersonations.audit

/** Above all other facts: why a person has to look at it. What permits say is in the words of the page. */
export function ReviewNote({ row, session }: { row: RowAnswer; session: Session }) {
  const { review, operator, permit = [] } = row
  if (!review) return null
  const isUnapproved = unapprovedIn(review) !== undefined
  const own = review
    .split(REVIEW_SEPARATOR)
    .filter((reason) => reason !== EMERGENCY && !reason.startsWith(AFTER_REFUSAL))
  const refused = review.split(REVIEW_SEPARATOR).find((reason) => reason.startsWith(AFTER_REFUSAL))
  return (
    <section class={isUnapproved ? 'message refused' : 'message'} aria-label={words.permits.review}>
      {isUnapproved && (
        <p>
          <Text
            of={labels.unapproved}
            operator={<bdi class="person">{personName(operator)}</bdi>}
          />{' '}
          {refused !== undefined && (
            <Text of={words.permits.afterRefusal} person={refused.slice(AFTER_REFUSAL.length)} />
          )}
        </p>
      )}
      {own.map((reason) => (
        <p key={reason}>
          <Text of={labels.reviewWanted} reason={<bdi>{reason}</bdi>} />
        </p>
      ))}
      {isUnapproved &&
        session.me.permits &&
        [permit].flat().map((id) => (
          <p key={id}>
            <Link to={permitPath(id)}>{labels.emergency}</Link>
          </p>
        ))}
    </section>
  )
}
