import type { At } from '../../../web/kit/at.ts'
import { NamedPerson } from '../../../web/kit/people.tsx'
import { Said } from '../../../web/kit/said.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { PastPermitAnswer } from '../server/api/answers.ts'

/** Who decided with which note, and what came of it. */
export function DecisionList({ permit }: { permit: PastPermitAnswer }, { words }: At) {
  return (
    <ul class="decisions">
      {permit.said.map(({ event, by, at, note }) => (
        <li key={`${event}${at}`}>
          <Text
            of={words.permits.said[event]}
            person={<NamedPerson of={by} />}
            time={<Time at={at} form="long" />}
          />
          <Said of={note} />
        </li>
      ))}
    </ul>
  )
}
