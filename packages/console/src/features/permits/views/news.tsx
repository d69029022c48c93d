import { saidIn } from 'oidc-provider-impersonation-verify/format'
import { type StaffAt, text } from '../../../web/kit/at.ts'
import { Link } from '../../../web/kit/link.tsx'
import { permitPath } from '../../../web/kit/paths.ts'
import { NamedPerson, personName } from '../../../web/kit/people.tsx'
import { Said } from '../../../web/kit/said.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { timeText } from '../../../web/kit/time.tsx'
import type { PermitAnswer } from '../server/api/answers.ts'
import type { PermitNews as News } from '../server/api/news.ts'
import { StartButton } from './start-button.tsx'

/** Tells an operator on every page that a request of theirs was decided. */
export function NewsOfPermits({ of: { decided, waiting } }: { of: News }, { here }: StaffAt) {
  const isSaid = ({ id }: PermitAnswer) => here === permitPath(id)
  return (
    <div id="news" data-about={waiting.join(' ')}>
      {decided.map((permit) => !isSaid(permit) && <Decided permit={permit} />)}
    </div>
  )
}

function Decided({ permit }: { permit: PermitAnswer }, at: StaffAt) {
  const { id, state, customer, until = 0 } = permit
  const { notice } = at.words.permits
  const refusal = saidIn(permit, 'declined')
  return (
    <div class={state === 'granted' ? 'message done' : 'message refused'} id={`news-${id}`}>
      <p>
        {state === 'granted' ? (
          text(at, notice.granted, {
            customer: personName(at, customer),
            time: timeText(at, until),
          })
        ) : (
          <Text
            of={notice.declined}
            person={<NamedPerson of={refusal?.by} />}
            customer={<NamedPerson of={customer} />}
          />
        )}{' '}
        <Said of={refusal?.note} /> <Link to={permitPath(id)}>{notice.page}</Link>
      </p>
      <StartButton permit={permit} />
    </div>
  )
}
