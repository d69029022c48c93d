import { type Unapproved, unapprovedIn } from 'oidc-provider-impersonation-verify/format'
import type { At } from './at.ts'
import { Badge } from './badge.tsx'

/** An operator acts without an approval: red wherever it is shown, also when it is over. */
export function UnapprovedMark({ of }: { of: Unapproved | undefined }, { words }: At) {
  return of ? <Badge tone="alarm">{words.web.unapproved[of]}</Badge> : null
}

/** The same by the reason for which a person has to look at it afterwards. */
export const ReviewMark = ({ review }: { review: string | undefined }) => (
  <UnapprovedMark of={unapprovedIn(review)} />
)
