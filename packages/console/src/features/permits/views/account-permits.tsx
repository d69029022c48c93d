import { type At, text } from '../../../web/kit/at.ts'
import { ActionButton, Button, Choice, Form } from '../../../web/kit/form.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { durationText, Time } from '../../../web/kit/time.tsx'
import { UnapprovedMark } from '../../../web/kit/unapproved.tsx'
import type { AccountPermit, AccountPermitsAnswer, AccountRefusal } from '../server/api/answers.ts'
import type { Standing, StandingChoice } from '../server/options.ts'

const CHOICES: readonly StandingChoice[] = ['ask', 'allow']

/** What support asks the customer, what they allowed, and their answer for all requests. */
export function AccountPermits({ of }: { of: object }, { words }: At) {
  const labels = words.permits.account
  // The API of the same version has made it.
  const { asked, granted: all, refused, standing } = of as AccountPermitsAnswer
  const emergencies = all.filter(({ unapproved }) => unapproved)
  const granted = all.filter(({ unapproved }) => !unapproved)
  return (
    <>
      {emergencies.length > 0 && (
        <section class="part" aria-labelledby="emergencies" data-about="*">
          <h2 id="emergencies">{labels.emergencies}</h2>
          <ul class="cards">
            {emergencies.map((permit) => (
              <OwnPermit key={permit.id} of={permit} sentence={labels.emergency} />
            ))}
          </ul>
        </section>
      )}
      {asked.length + granted.length + refused.length > 0 && (
        <section class="part" aria-labelledby="asked" data-about="*">
          <h2 id="asked">{labels.title}</h2>
          <ul class="cards">
            {asked.map((permit) => (
              <OwnPermit key={permit.id} of={permit} sentence={labels.asks} isAsked />
            ))}
            {granted.map((permit) => (
              <OwnPermit key={permit.id} of={permit} sentence={labels.allowed} />
            ))}
            {refused.map((refusal) => (
              <OwnPermit key={refusal.id} of={refusal} sentence={labels.refusedByYou} />
            ))}
          </ul>
        </section>
      )}
      {standing && <StandingSwitch of={standing} />}
    </>
  )
}

/** What support asks, may do, or was refused for a while. */
function OwnPermit(
  props: { of: AccountPermit | AccountRefusal; sentence: string; isAsked?: true },
  at: At,
) {
  const { of, sentence, isAsked } = props
  const isRefused = 'refusedAt' in of
  const { id, operator, application, ticket, canChange, until, unapproved } = of
  const { account, permits } = at.words
  const labels = permits.account
  const who = operator.name ?? account.support
  const slots = { who, application }
  const fields = { id }
  return (
    <li class="card" id={id}>
      <div class="section-head">
        <h3>
          <Text of={sentence} who={<bdi class="person">{who}</bdi>} />
        </h3>
        <UnapprovedMark of={unapproved} />
      </div>
      {unapproved && <p class="message refused">{account.unapproved[unapproved]}</p>}
      <p>
        <bdi>{application}</bdi>
        {' · '}
        {isRefused ? (
          <Time at={of.refusedAt} />
        ) : (
          <>
            {canChange ? account.lookAndChange : account.look}
            {' · '}
            {until === undefined ? durationText(at, of.for) : permits.until}{' '}
            {until !== undefined && <Time at={until} />}
          </>
        )}
        {ticket !== undefined && (
          <>
            {' · '}
            {account.ticket} <Ticket of={ticket} />
          </>
        )}
      </p>
      {!isRefused && (
        <div class="actions">
          {isAsked ? (
            <>
              <ActionButton
                action="/permits/grant"
                kind="primary"
                label={text(at, labels.allowLabel, slots)}
                fields={fields}
              >
                {labels.allow}
              </ActionButton>
              <ActionButton
                action="/permits/refuse"
                label={text(at, labels.refuseLabel, slots)}
                fields={fields}
              >
                {labels.refuse}
              </ActionButton>
            </>
          ) : (
            <ActionButton
              action="/permits/revoke"
              kind="danger"
              label={text(at, labels.revokeLabel, slots)}
              fields={fields}
            >
              {labels.revoke}
            </ActionButton>
          )}
        </div>
      )}
    </li>
  )
}

/** *Support may act in your account*. */
function StandingSwitch({ of }: { of: Standing }, at: At) {
  const labels = at.words.permits.account
  return (
    <section class="part card" aria-labelledby="standing">
      <h2 id="standing">{labels.standing}</h2>
      {of.choice === 'rule' && <p>{labels.standingRule}</p>}
      {of.isInitial && <p>{labels.standingInitial}</p>}
      <p class="note">{labels.standingAbout}</p>
      <Form action="/permits/standing">
        {(field) => (
          <>
            <Choice
              of={field('choice', of.choice)}
              legend={labels.standing}
              isLegendUnseen
              options={CHOICES.map((value) => ({ value, label: labels.choices[value] }))}
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
