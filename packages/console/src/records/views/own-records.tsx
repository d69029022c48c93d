import type { At } from '../../web/kit/at.ts'
import { UnapprovedMark } from '../../web/kit/badge.tsx'
import { ActionButton, Button, Choice, Form } from '../../web/kit/form.tsx'
import { recordPath } from '../../web/kit/paths.ts'
import { Text } from '../../web/kit/text.tsx'
import type { RecordAnswer } from '../../web/record-answer.ts'
import type { AccountRecords } from '../api/of-customer.ts'
import type { Standing, StandingChoice } from '../record-at.ts'
import { buttonsOf, RecordFacts } from './record-card.tsx'

const CHOICES: readonly StandingChoice[] = ['ask', 'allow']
/** The last of these comes first: nobody asked the customer about it. */
const ORDER = ['approval requested', 'stop stopped', 'emergency granted']

/** The requests of support to the customer, their answers, and their answer for all requests. */
export function OwnRecords({ of }: { of: AccountRecords }, { words }: At) {
  const labels = words.records.account
  const place = ({ kind, state }: RecordAnswer) => ORDER.indexOf(`${kind} ${state}`)
  return (
    <>
      {of.records.length > 0 && (
        <section class="part" aria-labelledby="records" data-about="*">
          <h2 id="records">{labels.title}</h2>
          <ul class="cards">
            {of.records
              .toSorted((a, b) => place(b) - place(a))
              .map((record) => (
                <OwnRecord key={record.id} of={record} />
              ))}
          </ul>
        </section>
      )}
      {of.standing && <StandingSwitch of={of.standing} />}
    </>
  )
}

function sentenceOf({ kind, state }: RecordAnswer) {
  if (kind === 'emergency' || kind === 'stop') return kind
  return state === 'requested' || state === 'declined' ? state : 'granted'
}

/** The card of a record in the words of the customer, without what the operator and the team wrote. */
function OwnRecord({ of }: { of: RecordAnswer }, at: At) {
  const { id, operator, application = '', unapproved } = of
  const { account, records } = at.words
  const labels = records.account
  const who = operator?.name ?? operator?.id ?? account.support
  const sentence = sentenceOf(of)
  return (
    <li>
      <article class={unapproved ? 'card alarm' : 'card'} id={id}>
        <div class="section-head">
          <h3>
            <Text of={labels.titles[sentence]} who={<bdi class="person">{who}</bdi>} />
          </h3>
          <UnapprovedMark of={of} />
        </div>
        {unapproved && <p>{account.unapproved[unapproved]}</p>}
        {sentence === 'stop' && <p>{labels.stopped}</p>}
        <RecordFacts of={of} />
        <div class="actions">
          {buttonsOf(of).map((event) => {
            const label = labels.choices[event as keyof typeof labels.choices]
            return (
              <ActionButton
                key={event}
                action={`${recordPath(id)}/${event}`}
                kind={event === 'granted' ? 'primary' : event === 'revoked' ? 'danger' : 'plain'}
                label={`${label}: ${who}, ${application}`}
              >
                {label}
              </ActionButton>
            )
          })}
        </div>
      </article>
    </li>
  )
}

/** *Support may act in your account*. */
function StandingSwitch({ of }: { of: Standing }, at: At) {
  const labels = at.words.records.account
  return (
    <section class="part card" aria-labelledby="standing">
      <h2 id="standing">{labels.standing}</h2>
      {of.choice === 'rule' && <p>{labels.standingRule}</p>}
      {of.isInitial && <p>{labels.standingInitial}</p>}
      <p class="note">{labels.standingAbout}</p>
      <Form action="/answer">
        {(field) => (
          <>
            <Choice
              of={field('choice', of.choice)}
              legend={labels.standing}
              isLegendUnseen
              options={CHOICES.map((value) => [value, labels.answers[value]])}
            />
            <div class="actions">
              <Button kind="primary">{labels.save}</Button>
            </div>
          </>
        )}
      </Form>
    </section>
  )
}
