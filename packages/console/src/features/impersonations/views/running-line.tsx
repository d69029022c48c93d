import type { ComponentChildren } from 'preact'
import type { RunningImpersonation } from '../../../web/answers.ts'
import type { At } from '../../../web/kit/at.ts'
import { Badge } from '../../../web/kit/badge.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { Countdown } from '../../../web/kit/time.tsx'
import { UnapprovedMark } from '../../../web/kit/unapproved.tsx'

/** What runs: who acts, what for, where, and how long yet. */
export function RunningLine(
  { of: it, children }: { of: RunningImpersonation; children: ComponentChildren },
  { words }: At,
) {
  return (
    <>
      <b class="acting-as">{children}</b>
      <Ticket of={it} />
      {it.applicationName !== undefined && <bdi>{it.applicationName}</bdi>}
      <AccessMarks of={it} />
      <span>
        <Text of={words.impersonations.running.left} time={<Countdown until={it.expiresAt} />} />
      </span>
    </>
  )
}

/** Whether it can change something, and whether nobody approved it. */
export function AccessMarks({ of }: { of: RunningImpersonation }, { words }: At) {
  const { change, look } = words.impersonations.running
  return (
    <>
      <Badge tone={of.canChange ? 'warning' : 'plain'}>{of.canChange ? change : look}</Badge>
      <UnapprovedMark of={of} />
    </>
  )
}
