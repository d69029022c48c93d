import type { PauseAnswer } from '../../api/pauses/answers.ts'
import { pausePath } from '../kit/paths.ts'
import { Link } from '../kit/router.tsx'
import { words } from '../kit/text.tsx'
import { pausedInWords } from '../running/paused.ts'

/** Why the reader cannot act as the customer. */
export function Paused({ pause }: { pause: PauseAnswer }) {
  return (
    <div class="message refused">
      <p>
        {pausedInWords(pause)} <Link to={pausePath(pause.id)}>{words.permits.pause.page}</Link>
      </p>
    </div>
  )
}
