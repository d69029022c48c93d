import type { ComponentType } from 'preact'
import { durationText } from '../../../web/kit/duration.ts'
import { pausePath, permitPath } from '../../../web/kit/paths.ts'
import { Link } from '../../../web/kit/router.tsx'
import { language, text, words } from '../../../web/kit/text.tsx'
import type { Session } from '../../../web/session/session.ts'
import type { MayActAnswer } from '../server/answers.ts'

/** Says which approval is missing. */
export type NeededPart = ComponentType<{ session: Session; approval: object }>

const { verdict: labels } = words.rules

/** What would be answered to the operator. */
export function VerdictInWords(props: { session: Session; of: MayActAnswer; Needed: NeededPart }) {
  const { session, of: answer, Needed } = props
  const { verdict, seconds, permits = [], approval, pause } = answer
  return (
    <>
      <p>
        <b class={verdict}>{verdict === 'allowed' ? timeInWords(seconds) : labels[verdict]}</b>
      </p>
      {permits.map((id) => (
        <p key={id}>
          <Link to={permitPath(id)}>{labels.permit}</Link>
        </p>
      ))}
      {verdict === 'needs' &&
        (approval ? <Needed session={session} approval={approval} /> : <p>{labels.noPermits}</p>)}
      {verdict === 'refused' && <p>{refusalInWords(answer)}</p>}
      {pause && (
        <p>
          <Link to={pausePath(pause.id)}>{labels.pauseLink}</Link>
        </p>
      )}
    </>
  )
}

const timeInWords = (seconds: number | undefined) =>
  seconds === undefined
    ? labels.allowed
    : text(labels.allowedFor, { time: durationText(seconds, language) })

/** Why not. What the directory says of a protected customer is its own sentence. */
function refusalInWords({ by = 'rule', reason }: MayActAnswer): string {
  return by === 'protected' ? (reason ?? labels.rule) : labels[by]
}
