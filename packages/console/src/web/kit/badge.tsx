import type { Unapproved } from 'oidc-provider-impersonation-verify/format'
import type { ComponentChildren } from 'preact'
import type { At } from './at.ts'

/** A longer text may break, in characters. */
const MAX_LENGTH = 18

/** A small word in a tone. */
export function Badge({
  tone = 'plain',
  children,
}: {
  tone?: 'alarm' | 'good' | 'plain' | 'warning'
  children: ComponentChildren
}) {
  const isLong = typeof children === 'string' && children.length > MAX_LENGTH
  return <span class={`badge ${tone}${isLong ? ' long' : ''}`}>{children}</span>
}

/** An operator acts without an approval: red wherever it is shown, until a person has looked at it. */
export function UnapprovedMark(
  { of: { unapproved, isReviewDue } }: { of: Unapproved },
  { words }: At,
) {
  if (!unapproved) return null
  return <Badge tone={isReviewDue ? 'alarm' : 'plain'}>{words.web.unapproved[unapproved]}</Badge>
}
