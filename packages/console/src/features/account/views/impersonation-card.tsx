import { type AccountImpersonation, cardInWords } from '../../../web/account-card.ts'
import { type At, text } from '../../../web/kit/at.ts'
import { Badge, UnapprovedMark } from '../../../web/kit/badge.tsx'
import { Fact } from '../../../web/kit/fact.tsx'
import { ActionButton } from '../../../web/kit/form.tsx'
import { NoteAction } from '../../../web/kit/note-action.tsx'
import { actorName, personName } from '../../../web/kit/people.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Time, timeText } from '../../../web/kit/time.tsx'

const STATE_TONES: { [S in AccountImpersonation['state']]?: 'alarm' | 'warning' } = {
  running: 'warning',
  replay: 'alarm',
}

/** One time that the support team acted as the customer. */
export function ImpersonationCard({ of }: { of: AccountImpersonation }, at: At) {
  const { id, state, endedBy, objectedAt } = of
  const { account } = at.words
  const isRunning = state === 'running'
  const shown = { ...of, ticket: of.ticket ?? account.noTicket }
  const card = cardInWords(shown, at)
  const who = actorName(at, of, account.support)
  return (
    <article class={isRunning ? 'card running' : 'card'}>
      <div class="section-head">
        <h3>
          <Text of={account[sentenceOf(state)]} who={<bdi class="person">{who}</bdi>} />
        </h3>
        <span class="marks">
          <Badge tone={STATE_TONES[state] ?? 'plain'}>
            {endedBy
              ? text(at, account.endedBy, { who: personName(at, endedBy) })
              : account.states[state]}
          </Badge>
          <UnapprovedMark of={of} />
        </span>
      </div>
      <dl class="told-facts">
        {card.facts.map(([name, value]) => (
          <Fact key={name} name={name}>
            {typeof value === 'number' ? <Time at={value} /> : value && <bdi>{value}</bdi>}
          </Fact>
        ))}
      </dl>
      {card.warnings.map((warning) => (
        <p key={warning} class="message refused">
          {warning}
        </p>
      ))}
      {card.done.length > 0 && (
        <div>
          <h4>{account.did}</h4>
          <ul class="did">
            {card.done.map((line) => (
              <li key={line}>
                <bdi>{line}</bdi>
              </li>
            ))}
          </ul>
        </div>
      )}
      {objectedAt !== undefined && (
        <p class="message done">
          <Text of={account.objected} at={<Time at={objectedAt} />} />{' '}
          {of.lookedIntoAt !== undefined && (
            <Text of={account.lookedInto} at={<Time at={of.lookedIntoAt} />} />
          )}
        </p>
      )}
      <div class="actions">
        {isRunning && (
          <ActionButton
            action="/end"
            kind="danger"
            label={text(at, account.endLabel, { who })}
            fields={{ id }}
          >
            {account.end}
          </ActionButton>
        )}
        {objectedAt === undefined && state !== 'refused' && (
          <NoteAction
            action="/objection"
            label={account.object}
            name={text(at, account.objectLabel, { who, at: timeText(at, of.startedAt ?? of.at) })}
            about={`${account.objectAbout} ${isRunning ? account.objectEnds : ''}`}
            note={account.note}
            send={account.objectSend}
            fields={{ id }}
          />
        )}
      </div>
    </article>
  )
}

/** The key of the sentence that heads a card. */
function sentenceOf(state: AccountImpersonation['state']) {
  if (state === 'running') return 'actsAsYou'
  return ['waiting', 'unused', 'refused'].includes(state) ? 'askedToAct' : 'actedAsYou'
}
