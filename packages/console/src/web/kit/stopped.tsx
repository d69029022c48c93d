import type { RecordAnswer } from '../record-answer.ts'
import { type At, text } from './at.ts'
import { Link } from './link.tsx'
import { recordPath } from './paths.ts'
import { personName } from './people.tsx'

/** A sentence about what keeps the reader from starting, with a link to its page. */
export function StopLine({ stop: { id, customer, by } }: { stop: RecordAnswer }, at: At) {
  const labels = at.words.records.stop
  const sentence = customer ? labels.objected : labels.byLead
  const slots = { customer: personName(at, customer), person: personName(at, by) }
  return (
    <p>
      {text(at, sentence, slots)} <Link to={recordPath(id)}>{labels.page}</Link>
    </p>
  )
}
