import type { AuditPerson } from 'oidc-provider-impersonation-verify/format'
import { NamedPerson } from '../../../web/kit/in-words.tsx'
import { Said } from '../../../web/kit/said.tsx'
import { Text, words } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { PastPermitAnswer } from '../server/api/answers.ts'

const { permits: labels } = words

/** Whether somebody has said something about it. */
export function isTouched({ decisions, revoked, review }: PastPermitAnswer): boolean {
  return decisions.length > 0 || revoked !== undefined || review?.at !== undefined
}

/** Who decided with which note, and what came of it. */
export function DecisionList({ permit }: { permit: PastPermitAnswer }) {
  const { decisions, revoked, review } = permit
  return (
    <ul class="decisions">
      {decisions.map(({ need, isGranted, ...said }) => (
        <DecisionLine key={need} of={isGranted ? labels.granted : labels.declined} {...said} />
      ))}
      {revoked && <DecisionLine of={labels.revoked} {...revoked} />}
      {review?.at !== undefined && (
        <DecisionLine of={labels.reviewed} at={review.at} by={review.by} note={review.note} />
      )}
    </ul>
  )
}

function DecisionLine(props: {
  of: string
  by: AuditPerson | undefined
  at: number
  note?: string | undefined
}) {
  const { of, by, at, note } = props
  return (
    <li>
      <Text of={of} person={<NamedPerson person={by} />} time={<Time at={at} form="long" />} />
      <Said of={note} />
    </li>
  )
}
