import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../../web/kit/button.tsx'
import { Choice } from '../../../web/kit/choice.tsx'
import { durationText } from '../../../web/kit/duration.ts'
import { say } from '../../../web/kit/message.tsx'
import { language, Text, text, words } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { Time } from '../../../web/kit/time.tsx'
import { UnapprovedMark } from '../../../web/kit/unapproved.tsx'
import type { CustomerSession } from '../../../web/session/customer-session.ts'
import { type Following, keepUp } from '../../../web/session/live.ts'
import { Loaded, type Loading, useLoad } from '../../../web/session/load.tsx'
import { inWords } from '../../../web/session/problem.ts'
import { ApiProblem } from '../../../web/session/session.ts'
import type {
  AccountPermit,
  AccountPermitsAnswer,
  AccountRefusal,
  AccountSwitch,
} from '../server/api/answers.ts'
import type { StandingChoice } from '../server/options.ts'

const { account: labels } = words.permits
/** Where the deployment asks customers nothing. */
const NOTHING_ASKED: AccountPermitsAnswer = { asked: [], granted: [], refused: [], now: 0 }

/** What support asks the customer, and their answer for all requests. It is not asked for again where there is none. */
export function usePermits(
  session: CustomerSession,
  following: Following<undefined>,
): Loading<AccountPermitsAnswer> {
  const isOff = useRef(false)
  const permits = useLoad<AccountPermitsAnswer>(async (signal) => {
    const answer = await session.ask<AccountPermitsAnswer | undefined>('/permits', { signal })
    isOff.current = answer === undefined
    return answer ?? NOTHING_ASKED
  }, [])
  const reload = async () => {
    if (!isOff.current) await permits.reload()
  }
  useEffect(() => keepUp(session, reload, following), [session])
  return { ...permits, reload }
}

/** What support asks the customer, what they allowed, and their answer for all requests. */
export function AccountPermits(props: {
  session: CustomerSession
  of: Loading<AccountPermitsAnswer>
  onDone: () => Promise<void>
}) {
  const { session, of, onDone } = props
  const act = async (work: () => Promise<string>) => {
    try {
      say('done', await work())
    } catch (error) {
      const isPaused = error instanceof ApiProblem && error.error === 'paused'
      say(isPaused ? 'refused' : 'trouble', isPaused ? labels.pausedAllow : inWords(error))
    }
    await onDone()
  }
  const answer = (what: Answer, id: string) =>
    act(async () => {
      await session.post(`/permits/${what}`, { id }, id)
      return DONE[what]
    })
  const choose = (choice: StandingChoice) =>
    act(async () => {
      await session.post<AccountSwitch>('/permits/standing', { choice })
      return labels.saved[choice]
    })
  return (
    <Loaded of={of} label={words.web.loading}>
      {({ asked, granted: all, refused, standing }) => {
        const emergencies = all.filter(({ unapproved }) => unapproved)
        const granted = all.filter(({ unapproved }) => !unapproved)
        return (
          <>
            {emergencies.length > 0 && (
              <section class="part" aria-labelledby="emergencies">
                <h2 id="emergencies">{labels.emergencies}</h2>
                <ul class="cards">
                  {emergencies.map((permit) => (
                    <OwnPermitCard key={permit.id} of={permit} answer={answer} />
                  ))}
                </ul>
              </section>
            )}
            {asked.length + granted.length + refused.length > 0 && (
              <section class="part" aria-labelledby="asked">
                <h2 id="asked">{labels.title}</h2>
                <ul class="cards">
                  {asked.map((permit) => (
                    <OwnPermitCard key={permit.id} of={permit} answer={answer} isAsked />
                  ))}
                  {granted.map((permit) => (
                    <OwnPermitCard key={permit.id} of={permit} answer={answer} />
                  ))}
                  {refused.map((refusal) => (
                    <RefusalCard key={refusal.id} of={refusal} />
                  ))}
                </ul>
              </section>
            )}
            {standing && <StandingSwitch of={standing} onChoose={choose} />}
          </>
        )
      }}
    </Loaded>
  )
}

type Answer = 'grant' | 'refuse' | 'revoke'

const DONE: Readonly<Record<Answer, string>> = {
  grant: labels.allowDone,
  refuse: labels.refuseDone,
  revoke: labels.revokeDone,
}

/** What was refused, so that it is not asked again for a while. */
function RefusalCard({ of }: { of: AccountRefusal }) {
  const { operator, application, ticket, refusedAt } = of
  const who = operator.name ?? words.account.support
  return (
    <li class="card">
      <h3>
        <Text of={labels.refusedByYou} who={<bdi class="person">{who}</bdi>} />
      </h3>
      <p>
        <bdi>{application}</bdi>
        {' · '}
        <Time at={refusedAt} />
        <OfTicket ticket={ticket} />
      </p>
    </li>
  )
}

function OfTicket({ ticket }: { ticket: string | undefined }) {
  return ticket === undefined ? null : (
    <>
      {' · '}
      {words.account.ticket} <Ticket of={ticket} />
    </>
  )
}

function OwnPermitCard(props: {
  of: AccountPermit
  isAsked?: true
  answer: (what: Answer, id: string) => Promise<void>
}) {
  const { of, isAsked, answer } = props
  const { id, operator, application, ticket, canChange, until, unapproved } = of
  const who = operator.name ?? words.account.support
  const slots = { who, application }
  return (
    <li class="card">
      <div class="section-head">
        <h3>
          <Text
            of={isAsked ? labels.asks : unapproved ? labels.emergency : labels.allowed}
            who={<bdi class="person">{who}</bdi>}
          />
        </h3>
        <UnapprovedMark of={unapproved} />
      </div>
      {unapproved && <p class="message refused">{words.account.unapproved[unapproved]}</p>}
      <p>
        <bdi>{application}</bdi>
        {' · '}
        {canChange ? words.account.lookAndChange : words.account.look}
        {' · '}
        {until === undefined ? (
          durationText(of.for, language)
        ) : (
          <>
            {words.permits.until} <Time at={until} />
          </>
        )}
        <OfTicket ticket={ticket} />
      </p>
      <div class="actions">
        {isAsked ? (
          <>
            <Button
              kind="primary"
              label={text(labels.allowLabel, slots)}
              onPress={() => answer('grant', id)}
            >
              {labels.allow}
            </Button>
            <Button label={text(labels.refuseLabel, slots)} onPress={() => answer('refuse', id)}>
              {labels.refuse}
            </Button>
          </>
        ) : (
          <Button
            kind="danger"
            label={text(labels.revokeLabel, slots)}
            onPress={() => answer('revoke', id)}
          >
            {labels.revoke}
          </Button>
        )}
      </div>
    </li>
  )
}

const CHOICES: readonly StandingChoice[] = ['ask', 'allow']

/** *Support may act in your account*. */
function StandingSwitch(props: {
  of: AccountSwitch
  onChoose: (choice: StandingChoice) => Promise<void>
}) {
  const { of, onChoose } = props
  const [chosen, choose] = useState<StandingChoice>()
  return (
    <section class="part card" aria-labelledby="standing">
      <h2 id="standing">{labels.standing}</h2>
      {of.choice === 'rule' && <p>{labels.standingRule}</p>}
      {of.isInitial && <p>{labels.standingInitial}</p>}
      <p class="note">{labels.standingAbout}</p>
      <Choice
        legend={labels.standing}
        name="standing"
        isLegendUnseen
        value={chosen ?? of.choice}
        options={CHOICES.map((choice) => ({ value: choice, label: labels.choices[choice] }))}
        onChoose={(value) => choose(CHOICES.find((each) => each === value))}
      />
      <div class="actions">
        <Button
          kind="primary"
          disabled={chosen === undefined || chosen === of.choice}
          onPress={async () => {
            if (chosen) await onChoose(chosen)
            choose(undefined)
          }}
        >
          {labels.save}
        </Button>
      </div>
    </section>
  )
}
