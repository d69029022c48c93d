import type { AuditPerson } from 'oidc-provider-impersonation-verify/format'
import type { At } from '../../../web/kit/at.ts'
import { NamedPerson } from '../../../web/kit/people.tsx'
import { Said } from '../../../web/kit/said.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { PastPermitAnswer } from '../server/api/answers.ts'

interface Decided {
  readonly by?: AuditPerson | undefined
  readonly at?: number | undefined
  readonly note?: string | undefined
}

/** Who decided with which note, and what came of it. */
export function DecisionList({ permit }: { permit: PastPermitAnswer }, { words }: At) {
  const { decisions, revoked, review } = permit
  const labels = words.permits
  const lines: readonly (readonly [string, Decided | undefined])[] = [
    ...decisions.map((each) => [each.isGranted ? labels.granted : labels.declined, each] as const),
    [labels.revoked, revoked],
    [labels.reviewed, review],
  ]
  return (
    <ul class="decisions">
      {lines.map(([of, said]) => said?.at !== undefined && <DecisionLine of={of} said={said} />)}
    </ul>
  )
}

function DecisionLine({ of, said: { by, at, note } }: { of: string; said: Decided }) {
  return (
    <li>
      <Text
        of={of}
        person={<NamedPerson of={by} />}
        time={at !== undefined && <Time at={at} form="long" />}
      />
      <Said of={note} />
    </li>
  )
}
