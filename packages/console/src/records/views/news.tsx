import type { StaffAt } from '../../web/kit/at.ts'
import { Link } from '../../web/kit/link.tsx'
import { recordPath } from '../../web/kit/paths.ts'
import { NamedPerson } from '../../web/kit/people.tsx'
import { Said, Text } from '../../web/kit/text.tsx'
import { timeText } from '../../web/kit/time.tsx'
import type { RecordAnswer } from '../../web/record-answer.ts'
import type { News } from '../api/record.ts'
import { StartButton } from './start-button.tsx'

/** Tells an operator on every page that a request of theirs was decided. */
export function NewsOfRecords({ of: { decided, waiting } }: { of: News }, { here }: StaffAt) {
  const isSaid = ({ id }: RecordAnswer) => here === recordPath(id)
  return (
    <div id="news" data-about={waiting.join(' ')}>
      {decided.map((permit) => !isSaid(permit) && <Decided key={permit.id} of={permit} />)}
    </div>
  )
}

function Decided({ of }: { of: RecordAnswer }, at: StaffAt) {
  const { id, state, customer, until = 0, said } = of
  const { notice } = at.words.records
  const refusal = said.find(({ event }) => event === 'declined')
  return (
    <div class={state === 'granted' ? 'message done' : 'message refused'} id={`news-${id}`}>
      <p>
        <Text
          of={state === 'granted' ? notice.granted : notice.declined}
          person={<NamedPerson of={refusal?.by} />}
          customer={<NamedPerson of={customer} />}
          time={timeText(at, until)}
        />{' '}
        <Said of={refusal?.note} /> <Link to={recordPath(id)}>{notice.page}</Link>
      </p>
      <StartButton of={of} />
    </div>
  )
}
