import { serverTime } from '../../../web/session/clock.ts'
import type { Session } from '../../../web/session/session.ts'
import type { ApprovalAnswer } from '../server/api/answers.ts'
import { neededInWords } from './in-words.ts'

/** What a start needs, and who can give it. @param approval as the API answered it */
export function Needed({ session, approval }: { session: Session; approval: object }) {
  // The API of the same version answers it.
  const needed = approval as ApprovalAnswer['approval']
  return <p>{neededInWords(needed, serverTime(session))}</p>
}
