import { pausePath } from '../../../../web/kit/paths.ts'
import { Link } from '../../../../web/kit/router.tsx'
import { words } from '../../../../web/kit/text.tsx'
import type { PauseAnswer } from '../../../../web/pause-answers.ts'
import { pausedInWords } from '../../../../web/session/paused.ts'

/** What keeps an operator from starting, and the way to its page. */
export function PauseLine({ pause }: { pause: PauseAnswer }) {
  return (
    <p>
      {pausedInWords(pause)} <Link to={pausePath(pause.id)}>{words.permits.pause.page}</Link>
    </p>
  )
}
