import type { ComponentType } from 'preact'
import type { Foreseen } from '../../../web/acting/foresee.ts'
import { type At, text } from '../../../web/kit/at.ts'
import { Link } from '../../../web/kit/link.tsx'
import { recordPath } from '../../../web/kit/paths.ts'
import { durationText } from '../../../web/kit/time.tsx'

/** The answer that the operator would get. */
export function Verdict(
  { of, Needed }: { of: Foreseen; Needed: ComponentType<{ approval: object }> },
  at: At,
) {
  const { verdict, seconds, permits = [], approval, record, by = 'rule', reason } = of
  const labels = at.words.rules.verdict
  const allowed =
    seconds === undefined
      ? labels.allowed
      : text(at, labels.allowedFor, { time: durationText(at, seconds) })
  return (
    <>
      <p>
        <b class={verdict}>{verdict === 'allowed' ? allowed : labels[verdict]}</b>
      </p>
      {permits.map((id) => (
        <p key={id}>
          <Link to={recordPath(id)}>{labels.permit}</Link>
        </p>
      ))}
      {verdict === 'needs' &&
        (approval ? <Needed approval={approval} /> : <p>{labels.noPermits}</p>)}
      {/* The directory says in its own sentence why a customer is protected. */}
      {verdict === 'refused' && <p>{by === 'protected' ? (reason ?? labels.rule) : labels[by]}</p>}
      {record && (
        <p>
          <Link to={recordPath(record.id)}>{labels.stopLink}</Link>
        </p>
      )}
    </>
  )
}
