import { type Unapproved, unapprovedIn } from 'oidc-provider-impersonation-verify/format'
import { type At, text } from './at.ts'
import { Badge } from './badge.tsx'

/**
 * An operator acts without an approval: red wherever it is shown, also when it is over.
 *
 * @param props.isSeen whether a lead has acknowledged the alarm
 */
export function UnapprovedMark(
  { of, isSeen }: { of: Unapproved | undefined; isSeen?: boolean },
  at: At,
) {
  if (!of) return null
  const name = at.words.web.unapproved[of]
  return (
    <Badge tone="alarm">{isSeen ? text(at, at.words.alarms.seen, { alarm: name }) : name}</Badge>
  )
}

/** The same by the reason for which a person has to look at it afterwards. */
export const ReviewMark = ({ review }: { review: string | undefined }) => (
  <UnapprovedMark of={unapprovedIn(review)} />
)
