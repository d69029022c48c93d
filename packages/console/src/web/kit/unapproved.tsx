import { type Unapproved, unapprovedIn } from 'oidc-provider-impersonation-verify/format'
import { Badge } from './badge.tsx'
import { text, words } from './text.tsx'

/**
 * An operator acts without an approval: red wherever it is shown, also when it is over. Nothing, where that is
 * not so.
 *
 * @param props.isSeen whether a lead has acknowledged the alarm
 */
export function UnapprovedMark(props: { of: Unapproved | undefined; isSeen?: boolean }) {
  const { of, isSeen } = props
  if (!of) return null
  const name = words.web.unapproved[of]
  return <Badge tone="alarm">{isSeen ? text(words.alarms.seen, { alarm: name }) : name}</Badge>
}

/** The same by why a person has to look at it afterwards. */
export const ReviewMark = (props: { review: string | undefined; isSeen?: boolean }) => (
  <UnapprovedMark {...props} of={unapprovedIn(props.review)} />
)
