import type { ComponentChildren } from 'preact'
import type { CustomerAnswer } from '../../../web/answers.ts'
import { type At, text } from '../../../web/kit/at.ts'
import { Link } from '../../../web/kit/link.tsx'
import { StopLine } from '../../../web/kit/stopped.tsx'
import type { RecordAnswer } from '../../../web/record-answer.ts'

/** The way to act as a customer, or what keeps the reader from it. */
export function UnlessKept(
  props: {
    customer: CustomerAnswer
    stop: RecordAnswer | undefined
    children: ComponentChildren
  },
  at: At,
) {
  const { customer, stop, children } = props
  const { protected: why, name } = customer
  const { operators } = at.words.impersonations
  if (why === undefined && !stop) return <>{children}</>
  return (
    <div class="message refused">
      {stop && why === undefined ? (
        <StopLine stop={stop} />
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
