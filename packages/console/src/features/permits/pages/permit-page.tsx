import type { VNode } from 'preact'
import type { RowAnswer } from '../../../web/answers.ts'
import { Button } from '../../../web/kit/button.tsx'
import { durationText } from '../../../web/kit/duration.ts'
import { Fact, MomentFact } from '../../../web/kit/fact.tsx'
import { NamedPerson } from '../../../web/kit/in-words.tsx'
import { nameOf } from '../../../web/kit/names.ts'
import { useNote } from '../../../web/kit/note-field.tsx'
import { Page } from '../../../web/kit/page.tsx'
import { language, text, words } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { useLive } from '../../../web/session/live.ts'
import { Loaded } from '../../../web/session/load.tsx'
import type { PageProps } from '../../../web/session/page-routes.ts'
import type { Session } from '../../../web/session/session.ts'
import type { PermitAnswer, PermitPageAnswer } from '../server/api/answers.ts'
import type { StandingAnswer } from '../server/options.ts'
import { DecideButtons, postDecision, useDeciding } from './deciding.tsx'
import { DecisionList, isTouched } from './decisions.tsx'
import { accessOf, permitActing, permitSlots } from './in-words.ts'
import { RefusedBefore, StateBadge } from './permit-card.tsx'

const { permits: labels } = words

/** Shows the impersonations under a permit. */
export type RowsPart = (props: { rows: readonly RowAnswer[]; session: Session }) => VNode

/** One permit: the request, the decisions, and everything that was done under it. */
export function PermitPage({ session, params, Rows }: PageProps & { Rows: RowsPart }) {
  const { id = '' } = params
  const page = useLive<PermitPageAnswer>(session, `/permits/${encodeURIComponent(id)}`)
  const { dialog, choose } = useDeciding(session, page.reload)
  return (
    <Page title={titleOf(page.value)} back={{ to: '/approvals', label: labels.back }}>
      <Loaded of={page} missing={labels.missing} label={labels.loading} lines={8}>
        {({ permit, answer, impersonations }) => (
          <>
            {permit && (
              <>
                <div class="actions">
                  <DecideButtons session={session} permit={permit} onChoose={choose} />
                </div>
                <RefusedBefore of={permit} />
                <PermitFacts permit={permit} />
                <DecisionPart permit={permit} />
              </>
            )}
            {answer && <Answer of={answer} />}
            <section>
              <h2>{labels.under}</h2>
              {impersonations.length === 0 ? (
                <p class="empty">{labels.underNone}</p>
              ) : (
                <Rows rows={impersonations} session={session} />
              )}
            </section>
            {permit?.may.includes('review') && (
              <Review session={session} permit={permit} onDone={page.reload} />
            )}
          </>
        )}
      </Loaded>
      {dialog}
    </Page>
  )
}

/** It comes after what was done: who confirms it has seen that. */
function Review(props: { session: Session; permit: PermitAnswer; onDone: () => unknown }) {
  const { session, permit, onDone } = props
  const { field, take } = useNote({ id: 'found', label: words.web.note, isNeeded: true })
  const confirm = async () => {
    const note = take()
    if (note === undefined) return
    await postDecision(session, permit, 'review', note)
    await onDone()
  }
  return (
    <section>
      <h2>{labels.reviewTitle}</h2>
      <p class="note">{text(labels.reviewNote, permitSlots(permit))}</p>
      <form class="card form" noValidate onSubmit={(event) => event.preventDefault()}>
        {field}
        <div class="actions">
          <Button
            kind="primary"
            isDefault
            label={text(labels.reviewLabel, { acting: permitActing(permit) })}
            onPress={confirm}
          >
            {labels.reviewAct}
          </Button>
        </div>
      </form>
    </section>
  )
}

function titleOf(page: PermitPageAnswer | undefined): string {
  if (page?.permit) return permitActing(page.permit)
  if (page?.answer) return text(labels.answerTitle, { customer: nameOf(page.answer.customer) })
  return labels.title
}

/** What the customer answered for all requests. */
function Answer({ of }: { of: StandingAnswer }) {
  const { customer, choice, requestedAt, revoked } = of
  return (
    <dl class="facts" aria-label={labels.facts}>
      <Fact name={labels.customer}>
        <NamedPerson person={customer} />
      </Fact>
      <Fact name={labels.account.standing}>{labels.answers[choice]}</Fact>
      <MomentFact name={labels.answered} at={requestedAt} />
      <MomentFact name={labels.states.revoked} at={revoked?.at} />
    </dl>
  )
}

function PermitFacts({ permit }: { permit: PermitAnswer }) {
  const { customer, operator, ticket, ticketUrl, reason, lapsesAt, grantedAt, until } = permit
  return (
    <dl class="facts" aria-label={labels.facts}>
      <Fact name={words.impersonations.audit.impersonation.outcome}>
        <StateBadge permit={permit} />
      </Fact>
      <Fact name={labels.operator}>
        <NamedPerson person={operator} />
      </Fact>
      <Fact name={labels.customer}>
        <NamedPerson person={customer} />
      </Fact>
      <Fact name={labels.ticket}>
        <Ticket of={ticket} url={ticketUrl} />
      </Fact>
      <Fact name={labels.reason}>
        <bdi class="free">{reason}</bdi>
      </Fact>
      <Fact name={labels.application}>
        <bdi>{permit.applicationName ?? permit.application}</bdi>
      </Fact>
      <Fact name={labels.access}>{accessOf(permit)}</Fact>
      <Fact name={labels.scope}>
        <code>{permit.scope}</code>
      </Fact>
      <Fact name={labels.length}>{durationText(permit.for, language)}</Fact>
      <MomentFact
        name={labels[permit.kind === 'emergency' ? 'begun' : 'asked']}
        at={permit.requestedAt}
      />
      {permit.state === 'requested' && <MomentFact name={labels.lapses} at={lapsesAt} />}
      {permit.kind === 'approval' && <MomentFact name={labels.approved} at={grantedAt} />}
      <MomentFact name={labels.until} at={until} />
    </dl>
  )
}

function DecisionPart({ permit }: { permit: PermitAnswer }) {
  const { needs, state, kind } = permit
  const [need] = needs
  // Nobody decides on an emergency.
  if (kind === 'emergency' && !isTouched(permit)) return null
  return (
    <section>
      <h2>{labels.decisions}</h2>
      {state === 'requested' && need && kind === 'approval' && (
        <p>{labels.needs[needs.length > 1 ? 'both' : need]}</p>
      )}
      <DecisionList permit={permit} />
    </section>
  )
}
