import { MAX_NOTE_LENGTH } from 'oidc-provider-impersonation-verify/format'
import type { ComponentType } from 'preact'
import type { RowAnswer } from '../../../web/answers.ts'
import { type At, text } from '../../../web/kit/at.ts'
import { Fact, MomentFact } from '../../../web/kit/fact.tsx'
import { Button, Form, NoteField } from '../../../web/kit/form.tsx'
import { actingText, NamedPerson, personName } from '../../../web/kit/people.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { durationText } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { PermitAnswer, PermitPageAnswer } from '../server/api/answers.ts'
import type { StandingAnswer } from '../server/options.ts'
import { DecideButtons } from './deciding.tsx'
import { DecisionList } from './decisions.tsx'
import { accessText, decidersText, permitSlots } from './in-words.ts'
import { RefusedBefore, StateBadge } from './permit-card.tsx'
import { StartButton } from './start-button.tsx'

/** One permit, with everything that was done under it. @param Rows shows impersonations */
export function permitPage(
  Rows: ComponentType<{ rows: readonly RowAnswer[] }>,
): View<PermitPageAnswer> {
  return (page, at) => {
    const { permit, answer, impersonations } = page
    const labels = at.words.permits
    return {
      title: titleOf(page, at),
      ids: [permit ?? [], answer ?? [], impersonations].flat().map(({ id }) => id),
      back: { to: '', label: at.words.web.toStart },
      body: (
        <>
          {permit && (
            <>
              <div class="actions">
                <StartButton permit={permit} />
                <DecideButtons permit={permit} />
              </div>
              <RefusedBefore of={permit} />
              <PermitFacts permit={permit} />
              <DecisionPart of={page} permit={permit} />
            </>
          )}
          {answer && <Answer of={answer} />}
          <section>
            <h2>{labels.under}</h2>
            {impersonations.length === 0 ? (
              <p class="empty">{labels.underNone}</p>
            ) : (
              <Rows rows={impersonations} />
            )}
          </section>
          {/* It comes after what was done: who confirms it has seen that. */}
          {permit?.may.includes('reviewed') && <Review permit={permit} />}
        </>
      ),
    }
  }
}

function titleOf({ permit, answer }: PermitPageAnswer, at: At): string {
  const labels = at.words.permits
  if (permit) return actingText(at, permit)
  if (!answer) return labels.history.title
  return text(at, labels.answerTitle, { customer: personName(at, answer.customer) })
}

function Review({ permit }: { permit: PermitAnswer }, at: At) {
  const labels = at.words.permits
  return (
    <section>
      <h2>{labels.reviewTitle}</h2>
      <p class="note">{text(at, labels.reviewNote, permitSlots(at, permit))}</p>
      <Form class="card form" action={`/permits/${permit.id}/review`}>
        {(field) => (
          <>
            <NoteField isNeeded of={field('note')} most={MAX_NOTE_LENGTH} />
            <div class="actions">
              <Button
                kind="primary"
                label={text(at, labels.reviewLabel, { acting: actingText(at, permit) })}
              >
                {labels.reviewAct}
              </Button>
            </div>
          </>
        )}
      </Form>
    </section>
  )
}

/** What the customer answered for all requests. */
function Answer({ of }: { of: StandingAnswer }, { words }: At) {
  const { customer, choice, requestedAt } = of
  const labels = words.permits
  return (
    <dl class="facts" aria-label={labels.facts}>
      <Fact name={labels.customer}>
        <NamedPerson of={customer} />
      </Fact>
      <Fact name={labels.account.standing}>{labels.answers[choice]}</Fact>
      <MomentFact name={labels.answered} at={requestedAt} />
    </dl>
  )
}

function PermitFacts({ permit }: { permit: PermitAnswer }, at: At) {
  const { customer, operator, ticket, ticketUrl, reason, lapsesAt, grantedAt, until } = permit
  const labels = at.words.permits
  return (
    <dl class="facts" aria-label={labels.facts}>
      <Fact name={at.words.impersonations.audit.impersonation.outcome}>
        <StateBadge permit={permit} />
      </Fact>
      <Fact name={labels.operator}>
        <NamedPerson of={operator} />
      </Fact>
      <Fact name={labels.customer}>
        <NamedPerson of={customer} />
      </Fact>
      <Fact name={labels.ticket}>
        {ticket !== undefined && <Ticket of={ticket} url={ticketUrl} />}
      </Fact>
      <Fact name={labels.reason}>{reason !== undefined && <bdi class="free">{reason}</bdi>}</Fact>
      <Fact name={labels.application}>
        <bdi>{permit.applicationName ?? permit.application}</bdi>
      </Fact>
      <Fact name={labels.access}>{accessText(at, permit)}</Fact>
      <Fact name={labels.scope}>
        <code>{permit.scope}</code>
      </Fact>
      <Fact name={labels.length}>{durationText(at, permit.for)}</Fact>
      <MomentFact
        name={permit.kind === 'emergency' ? labels.begun : labels.asked}
        at={permit.requestedAt}
      />
      {permit.state === 'requested' && <MomentFact name={labels.lapses} at={lapsesAt} />}
      {permit.kind === 'approval' && <MomentFact name={labels.approved} at={grantedAt} />}
      <MomentFact name={labels.until} at={until} />
    </dl>
  )
}

function DecisionPart({ of, permit }: { of: PermitPageAnswer; permit: PermitAnswer }, at: At) {
  const { needs, state, kind, said } = permit
  const labels = at.words.permits
  const [need] = needs
  // Nobody decides on an emergency.
  if (kind === 'emergency' && said.length === 0) return null
  return (
    <section>
      <h2>{labels.decisions}</h2>
      {state === 'requested' && need && kind === 'approval' && (
        <p>
          {needs.length > 1 ? labels.needs.both : labels.needs[need]}{' '}
          {of.deciders && decidersText(at, of.deciders)}
        </p>
      )}
      <DecisionList permit={permit} />
    </section>
  )
}
