import type { Done } from '../../../web/done.ts'
import { Badge } from '../../../web/kit/badge.tsx'
import { Button } from '../../../web/kit/button.tsx'
import { Fact } from '../../../web/kit/fact.tsx'
import { counted, Text, text, words } from '../../../web/kit/text.tsx'
import { shortTime, Time } from '../../../web/kit/time.tsx'
import { UnapprovedMark } from '../../../web/kit/unapproved.tsx'
import type { AccountImpersonation } from '../server/answers.ts'
import { cardSentence, cardTone, operatorNameOf, stateText } from './card-words.ts'

/** One time that the support team acted as the customer. */
export function ImpersonationCard(props: {
  of: AccountImpersonation
  onEnd: () => unknown
  onObject: () => void
}) {
  const { of, onEnd, onObject } = props
  const { state, startedAt, endedAt, expiresAt, objectedAt, unapproved } = of
  const isRunning = state === 'running'
  const who = operatorNameOf(of)
  const { account } = words
  return (
    <article class={isRunning ? 'card running' : 'card'}>
      <div class="section-head">
        <h3>
          <Text of={cardSentence(state)} who={<bdi class="person">{who}</bdi>} />
        </h3>
        <span class="marks">
          <Badge tone={cardTone(state)}>{stateText(of)}</Badge>
          <UnapprovedMark of={unapproved} />
        </span>
      </div>
      <dl class="told-facts">
        <Fact name={startedAt === undefined ? account.askedAt : account.started}>
          <Time at={startedAt ?? of.at} />
        </Fact>
        {endedAt !== undefined && (
          <Fact name={account.ended}>
            <Time at={endedAt} />
          </Fact>
        )}
        {isRunning && expiresAt !== undefined && (
          <Fact name={account.endsAt}>
            <Time at={expiresAt} />
          </Fact>
        )}
        <Fact name={account.ticket}>{of.ticket ?? account.noTicket}</Fact>
        {of.application !== undefined && (
          <Fact name={account.application}>
            <bdi>{of.application}</bdi>
          </Fact>
        )}
        {of.canChange !== undefined && (
          <Fact name={account.could}>{of.canChange ? account.lookAndChange : account.look}</Fact>
        )}
      </dl>
      {unapproved && <p class="message refused">{account.unapproved[unapproved]}</p>}
      <DoneList of={of} />
      {of.replays > 0 && <p class="message refused">{counted(account.replays, of.replays)}</p>}
      {objectedAt !== undefined && (
        <p class="message done">
          <Text of={account.objected} at={<Time at={objectedAt} />} />
        </p>
      )}
      <div class="actions">
        {isRunning && (
          <Button kind="danger" label={text(account.endLabel, { who })} onPress={onEnd}>
            {account.end}
          </Button>
        )}
        {objectedAt === undefined && state !== 'refused' && (
          <Button
            label={text(account.objectLabel, { who, at: shortTime(startedAt ?? of.at) })}
            onPress={onObject}
          >
            {account.object}
          </Button>
        )}
      </div>
    </article>
  )
}

/** In the words of the application, and in numbers where it has none. */
function DoneList({ of }: { of: AccountImpersonation }) {
  const { account } = words
  const { did, more, state, startedAt } = of
  const numbers = more
    ? ([
        [account.reads, more.reads],
        [account.changes, more.changes],
        [account.refusals, more.refused],
      ] as const)
    : []
  const counts = numbers.filter(([, count]) => count > 0)
  if (did.length + counts.length === 0) {
    if (startedAt === undefined) return null
    return <p>{state === 'running' ? account.didNothingYet : account.didNothing}</p>
  }
  return (
    <div>
      <h4>{account.did}</h4>
      <ul class="did">
        {did.map((done) => (
          <li key={`${done.text} ${done.at}`}>
            <DoneText of={done} />
          </li>
        ))}
        {counts.map(([words, count]) => (
          <li key={words.other}>{counted(words, count)}</li>
        ))}
      </ul>
    </div>
  )
}

function DoneText({ of: { text: sentence, count, at, refused } }: { of: Done }) {
  return (
    <>
      <bdi>{sentence}</bdi>
      {refused && <Badge tone="warning">{words.account.wasRefused}</Badge>}
      <span class="soft">
        {count > 1 ? counted(words.account.times, count, { at: shortTime(at) }) : <Time at={at} />}
      </span>
    </>
  )
}
