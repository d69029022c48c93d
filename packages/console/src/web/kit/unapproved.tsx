import type { Unapproved } from 'oidc-provider-impersonation-verify/format'
import type { At } from './at.ts'
import { Badge } from './badge.tsx'

/** An operator acts without an approval: red wherever it is shown, until a person has looked at it. */
export function UnapprovedMark(
  { of: { unapproved, isReviewDue } }: { of: Unapproved },
  { words }: At,
) {
  if (!unapproved) return null
  return <Badge tone={isReviewDue ? 'alarm' : 'plain'}>{words.web.unapproved[unapproved]}</Badge>
}
