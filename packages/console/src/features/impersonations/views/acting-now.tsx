import type { CustomerAnswer, RunningImpersonation } from '../../../web/answers.ts'
import { type At, text } from '../../../web/kit/at.ts'
import { Actor, actorName } from '../../../web/kit/people.tsx'
import { Person } from '../../../web/kit/person.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { RunningLine } from './running-line.tsx'

/** No event tells an operator of what others start and end: the page looks again, in seconds. */
const LOOKS_EVERY = 10

/** Which others act as this customer right now: the strip has what the reader runs. */
export function ActingNow(
  { customer, running }: { customer: CustomerAnswer; running: readonly RunningImpersonation[] },
  at: At,
) {
  const { now: labels } = at.words.impersonations.operators
  const others = running.filter(({ isMine }) => !isMine)
  const name = <Person id={customer.id} name={customer.name} />
  return (
    <div
      class={others.length > 0 ? 'acting-now other' : 'acting-now'}
      data-about="*"
      data-every={LOOKS_EVERY}
    >
      {others.length > 0 ? (
        <ul>
          {others.map((it) => (
            <li key={it.id}>
              <RunningLine of={it}>
                <Text of={labels.other} operator={<Actor of={it} />} name={name} />
              </RunningLine>
            </li>
          ))}
        </ul>
      ) : (
        running.length > 0 && (
          <p>
            <Text of={labels.onlyYou} name={name} />
          </p>
        )
      )}
      <p role="status" class="unseen">
        {others.map((it) => `${sentence(at, it, customer)}. `)}
      </p>
    </div>
  )
}

/** Screen readers hear it when it changes. The time that is left changes each second: it is not in it. */
function sentence(at: At, it: RunningImpersonation, { name }: CustomerAnswer): string {
  const { now: labels } = at.words.impersonations.operators
  const acting = text(at, labels.other, { operator: actorName(at, it), name })
  const { unapproved } = it
  return unapproved ? `${acting}. ${at.words.web.unapproved[unapproved]}` : acting
}
