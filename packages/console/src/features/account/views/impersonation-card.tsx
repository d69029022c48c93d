import { MAX_NOTE_LENGTH } from 'oidc-provider-impersonation-verify/format'
import type { Done } from '../../../web/done.ts'
import { type At, counted, text } from '../../../web/kit/at.ts'
import { Badge } from '../../../web/kit/badge.tsx'
import { Fact } from '../../../web/kit/fact.tsx'
import { ActionButton, Button, Disclosure, Form, NoteField } from '../../../web/kit/form.tsx'
import { actorName } from '../../../web/kit/people.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Time, timeText } from '../../../web/kit/time.tsx'
import { UnapprovedMark } from '../../../web/kit/unapproved.tsx'
import type { AccountImpersonation, AccountState } from '../server/answers.ts'

/** One time that the support team acted as the customer. */
export function ImpersonationCard({ of }: { of: AccountImpersonation }, at: At) {
  const { id, state, startedAt, endedAt, expiresAt, objectedAt, unapproved } = of
  const { account } = at.words
  const isRunning = state === 'running'
  const who = actorName(at, of, account.support)
  return (
    <article class={isRunning ? 'card running' : 'card'}>
      <div class="section-head">
        <h3>
          <Text of={account[sentenceOf(state)]} who={<bdi class="person">{who}</bdi>} />
        </h3>
        <span class="marks">
          <Badge tone={stateTone(state)}>{stateText(of, at)}</Badge>
          <UnapprovedMark of={unapproved} />
        </span>
      </div>
      <dl class="told-facts">
        <Fact name={startedAt === undefined ? account.askedAt : account.started}>
          <Time at={startedAt ?? of.at} />
        </Fact>
        <Fact name={account.ended}>{endedAt !== undefined && <Time at={endedAt} />}</Fact>
        <Fact name={account.endsAt}>
          {isRunning && expiresAt !== undefined && <Time at={expiresAt} />}
        </Fact>
        <Fact name={account.ticket}>{of.ticket ?? account.noTicket}</Fact>
        <Fact name={account.application}>{of.application && <bdi>{of.application}</bdi>}</Fact>
        <Fact name={account.could}>
          {of.canChange !== undefined && (of.canChange ? account.lookAndChange : account.look)}
        </Fact>
      </dl>
      {unapproved && <p class="message refused">{account.unapproved[unapproved]}</p>}
      <DoneList of={of} />
      {of.replays > 0 && <p class="message refused">{counted(at, account.replays, of.replays)}</p>}
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
        {objectedAt === undefined && state !== 'refused' && <ObjectionForm of={of} who={who} />}
      </div>
    </article>
  )
}

/** *I did not ask for this*: an optional note, and what happens next. */
function ObjectionForm({ of, who }: { of: AccountImpersonation; who: string }, at: At) {
  const { account } = at.words
  const began = timeText(at, of.startedAt ?? of.at)
  return (
    <Disclosure
      id={`object-${of.id}`}
      label={account.object}
      about={text(at, account.objectLabel, { who, at: began })}
    >
      <Form action="/objection" id={`objection-${of.id}`} class="card form">
        {(field) => (
          <>
            <h4>{account.objectTitle}</h4>
            <p>
              {account.objectAbout} {of.state === 'running' && account.objectEnds}
            </p>
            <input type="hidden" name="id" value={of.id} />
            <NoteField
              of={field('note')}
              label={account.note}
              help={text(at, account.noteHelp, { most: MAX_NOTE_LENGTH })}
              most={MAX_NOTE_LENGTH}
            />
            <div class="actions">
              <Button kind="primary">{account.objectSend}</Button>
            </div>
          </>
        )}
      </Form>
    </Disclosure>
  )
}

/** The key of the sentence that heads a card. */
function sentenceOf(state: AccountState): 'actedAsYou' | 'actsAsYou' | 'askedToAct' {
  if (state === 'running') return 'actsAsYou'
  return ['waiting', 'unused', 'refused'].includes(state) ? 'askedToAct' : 'actedAsYou'
}

/** How it stands, or how it ended: *Ended by Olivia Ortiz*. */
function stateText({ state, endedBy }: AccountImpersonation, at: At): string {
  const { states, endedBy: sentence } = at.words.account
  return endedBy ? text(at, sentence, { who: endedBy.name ?? endedBy.id }) : states[state]
}

function stateTone(state: AccountState): 'alarm' | 'plain' | 'warning' {
  if (state === 'running') return 'warning'
  return state === 'replayed' ? 'alarm' : 'plain'
}

/** In the words of the application, and in numbers where it has none. */
function DoneList({ of }: { of: AccountImpersonation }, at: At) {
  const { account } = at.words
  const { did, more, state, startedAt } = of
  const counts = (['reads', 'changes', 'refused'] as const).flatMap((kind) => {
    const count = more?.[kind] ?? 0
    const sentence = kind === 'refused' ? account.refusals : account[kind]
    return count > 0 ? counted(at, sentence, count) : []
  })
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
        {counts.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </div>
  )
}

function DoneText({ of }: { of: Done }, at: At) {
  const { account } = at.words
  return (
    <>
      <bdi>{of.text}</bdi>
      {of.refused && <Badge tone="warning">{account.wasRefused}</Badge>}
      <span class="soft">
        {of.count > 1 ? (
          counted(at, account.times, of.count, { at: timeText(at, of.at) })
        ) : (
          <Time at={of.at} />
        )}
      </span>
    </>
  )
}
