import type { AuditPerson } from 'oidc-provider-impersonation-verify/format'
import type { ComponentChildren } from 'preact'
import type { PermitAnswer, PermitPageAnswer } from '../../api/permits/answers.ts'
import type { StandingAnswer } from '../../permits/options.ts'
import { durationText } from '../kit/duration.ts'
import { Page, Time } from '../kit/kit.tsx'
import { language, Text, text, words } from '../kit/text.tsx'
import { DecideButtons, useDeciding } from '../permits/deciding.tsx'
import { accessOf, actingOf } from '../permits/in-words.ts'
import { Refusals, StateBadge } from '../permits/permit-card.tsx'
import { nameOf } from '../running/names.ts'
import { Ticket } from '../running/ticket.tsx'
import { Loaded, useFollowed } from '../session/load.tsx'
import type { PageProps } from '../session/page-routes.ts'
import { ApiProblem } from '../session/session.ts'
import { Back } from './back.tsx'
import { Named } from './in-words.tsx'
import { Rows } from './rows.tsx'

const { permits: labels } = words

/** One permit: the request, the decisions, and everything that was done under it. */
export function PermitPage({ session, params }: PageProps) {
  const { id = '' } = params
  const page = useFollowed<PermitPageAnswer>(session, `/permits/${encodeURIComponent(id)}`)
  const { dialog, choose } = useDeciding(session, page.reload)
  const isMissing = page.error instanceof ApiProblem && page.error.status === 404
  return (
    <Page
      wide
      title={titleOf(page.value)}
      above={
        <p class="back-line">
          <Back to="/approvals">{labels.back}</Back>
        </p>
      }
    >
      {isMissing ? (
        <p class="message refused" role="alert">
          {labels.missing}
        </p>
      ) : (
        <Loaded of={page} label={labels.loading} lines={8}>
          {({ permit, answer, impersonations }) => (
            <>
              {permit && (
                <>
                  <div class="actions">
                    <DecideButtons session={session} permit={permit} onChoose={choose} />
                  </div>
                  <Refusals of={permit} />
                  <Facts permit={permit} />
                  <section>
                    <h2>{labels.decisions}</h2>
                    <Decisions permit={permit} />
                  </section>
                </>
              )}
              {answer && <Answer of={answer} />}
              <section>
                <h2>{labels.under}</h2>
                {impersonations.length === 0 ? (
                  <p class="empty">{labels.underNone}</p>
                ) : (
                  <Rows rows={impersonations} session={session} ids={false} />
                )}
              </section>
            </>
          )}
        </Loaded>
      )}
      {dialog}
    </Page>
  )
}

function titleOf(page: PermitPageAnswer | undefined): string {
  if (page?.permit) return actingOf(page.permit)
  if (page?.answer) return text(labels.answerTitle, { customer: nameOf(page.answer.customer) })
  return labels.title
}

/** What the customer answered for all requests. */
function Answer({ of }: { of: StandingAnswer }) {
  const { customer, choice, requestedAt, until, revoked } = of
  return (
    <dl class="facts" aria-label={labels.facts}>
      <Fact name={labels.customer}>
        <Named person={customer} />
      </Fact>
      <Fact name={labels.account.standing}>{labels.answers[choice]}</Fact>
      <Fact name={labels.answered}>
        <Time at={requestedAt} long />
      </Fact>
      {until !== undefined && (
        <Fact name={labels.until}>
          <Time at={until} long />
        </Fact>
      )}
      {revoked && (
        <Fact name={labels.states.revoked}>
          <Time at={revoked.at} long />
        </Fact>
      )}
    </dl>
  )
}

function Facts({ permit }: { permit: PermitAnswer }) {
  const { customer, operator, ticket, ticketUrl, reason, lapsesAt, grantedAt, until } = permit
  return (
    <dl class="facts" aria-label={labels.facts}>
      <Fact name={words.impersonations.audit.impersonation.outcome}>
        <StateBadge permit={permit} />
      </Fact>
      <Fact name={labels.operator}>
        <Named person={operator} />
      </Fact>
      <Fact name={labels.customer}>
        <Named person={customer} />
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
      {permit.duration !== undefined && (
        <Fact name={labels.duration}>{durationText(permit.duration, language)}</Fact>
      )}
      <Fact name={labels[permit.kind === 'emergency' ? 'begun' : 'asked']}>
        <Time at={permit.requestedAt} long />
      </Fact>
      {permit.state === 'requested' && lapsesAt !== undefined && (
        <Fact name={labels.lapses}>
          <Time at={lapsesAt} long />
        </Fact>
      )}
      {grantedAt !== undefined && (
        <Fact name={labels.approved}>
          <Time at={grantedAt} long />
        </Fact>
      )}
      {until !== undefined && (
        <Fact name={labels.until}>
          <Time at={until} long />
        </Fact>
      )}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Decisions({ permit }: { permit: PermitAnswer }) {
  const { needs, decisions, lifted, revoked, review, state, kind } = permit
  const [need] = needs
  return (
    <>
      {state === 'requested' && need && kind === 'approval' && (
        <p>{labels.needs[needs.length > 1 ? 'both' : need]}</p>
      )}
      <ul class="decisions">
        {decisions.map(({ need, by, at, isGranted, note }) => (
          <DecisionItem
            key={need}
            of={isGranted ? labels.granted : labels.declined}
            {...{ by, at, note }}
          />
        ))}
        {lifted && <DecisionItem of={labels.lifted} {...lifted} />}
        {revoked && <DecisionItem of={labels.revoked} {...revoked} />}
        {review?.at !== undefined && (
          <DecisionItem of={labels.reviewed} at={review.at} by={review.by} note={review.note} />
        )}
      </ul>
    </>
  )
}

function DecisionItem(props: {
  of: string
  by: AuditPerson | undefined
  at: number
  note?: string | undefined
}) {
  const { of, by, at, note } = props
  return (
    <li>
      <Text of={of} person={<Named person={by} />} time={<Time at={at} long />} />
      {note !== undefined && (
        <q class="said">
          <bdi>{note}</bdi>
        </q>
      )}
    </li>
  )
}
