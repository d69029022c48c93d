import type { ComponentChildren } from 'preact'
import type { CustomerAnswer } from '../../../../web/answers.ts'
import { text, words } from '../../../../web/kit/text.tsx'
import type { PauseAnswer } from '../../../../web/pause-answers.ts'
import { PauseLine } from '../running/pauses.tsx'

/** The way to act as a customer, or what keeps the reader from it. */
export function UnlessKept(props: {
  customer: CustomerAnswer
  pause: PauseAnswer | undefined
  children: ComponentChildren
}) {
  const { customer, pause, children } = props
  const { protected: why, name } = customer
  if (why === undefined && !pause) return <>{children}</>
  return (
    <div class="message refused">
      {pause && why === undefined ? (
        <PauseLine pause={pause} />
      ) : (
        <p>
          {text(words.impersonations.operators.form.forbidden, { name })} <bdi>{why}</bdi>
        </p>
      )}
    </div>
  )
}
