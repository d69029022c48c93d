import type { ComponentChildren } from 'preact'
import type { CustomerAnswer } from '../../../web/answers.ts'
import { type At, text } from '../../../web/kit/at.ts'
import { Link } from '../../../web/kit/link.tsx'
import { PauseLine } from '../../../web/kit/paused.tsx'
import type { PauseAnswer } from '../../../web/pause-answers.ts'

/** The way to act as a customer, or what keeps the reader from it. */
export function UnlessKept(
  props: {
    customer: CustomerAnswer
    pause: PauseAnswer | undefined
    children: ComponentChildren
  },
  at: At,
) {
  const { customer, pause, children } = props
  const { protected: why, name } = customer
  const { operators } = at.words.impersonations
  if (why === undefined && !pause) return <>{children}</>
  return (
    <div class="message refused">
      {pause && why === undefined ? (
        <PauseLine pause={pause} />
      ) : (
        <>
          <p>
            {text(at, operators.form.forbidden, { name })} <bdi>{why}</bdi>
          </p>
          <Link to="/customers">{operators.toSearch}</Link>
        </>
      )}
    </div>
  )
}
