import type { PauseAnswer } from '../pause-answers.ts'
import { type At, text } from './at.ts'
import { Link } from './link.tsx'
import { pausePath } from './paths.ts'
import { personName } from './people.tsx'

/** A sentence that says why the reader, or another operator, cannot act. */
export function pausedText(at: At, { customer, by, operator, isMine }: PauseAnswer): string {
  const { pause } = at.words.permits
  const slots = {
    operator: personName(at, operator),
    customer: personName(at, customer),
    person: personName(at, by),
  }
  if (customer) return text(at, isMine ? pause.objected : pause.one, slots)
  return text(at, isMine ? pause.byLead : pause.oneForAll, slots)
}

/** A sentence about a pause, with a link to its page. */
export function PauseLine({ pause }: { pause: PauseAnswer }, at: At) {
  return (
    <p>
      {pausedText(at, pause)} <Link to={pausePath(pause.id)}>{at.words.permits.pause.page}</Link>
    </p>
  )
}
