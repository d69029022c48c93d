import { type At, text } from '../../../web/view/at.ts'
import { Link } from '../../../web/view/link.tsx'
import { permitPath } from '../../../web/view/paths.ts'
import { personName } from '../../../web/view/people.tsx'
import { timeText } from '../../../web/view/time.tsx'
import type { PermitAnswer } from '../server/api/answers.ts'
import { StartButton } from './start-button.tsx'

/** Tells the operator on every page what was decided on their requests: one press starts. */
export function Decided({ of }: { of: readonly PermitAnswer[] }, at: At) {
  const { notice } = at.words.permits
  const here = at.here.split('?')[0]
  return (
    <div data-about={of.map(({ id }) => id).join(' ')}>
      {of
        .filter(({ id, state }) => state !== 'requested' && here !== permitPath(id))
        .map((permit) => (
          <div
            key={permit.id}
            role="status"
            class={permit.state === 'granted' ? 'message done' : 'message refused'}
          >
            <p>
              {decidedText(at, permit)} <Link to={permitPath(permit.id)}>{notice.page}</Link>
            </p>
            {/* The form has a button of its own, and may be about another customer. */}
            {here !== '/act' && <StartButton permit={permit} />}
          </div>
        ))}
    </div>
  )
}

function decidedText(at: At, { state, until = 0, decisions, ...permit }: PermitAnswer): string {
  const { notice } = at.words.permits
  const slots = { customer: personName(at, permit.customer) }
  if (state === 'granted') return text(at, notice.granted, { ...slots, time: timeText(at, until) })
  const note = decisions.find(({ isGranted }) => !isGranted)?.note
  if (note === undefined) return text(at, notice.refused, slots)
  return text(at, notice.refusedWith, { ...slots, note })
}
