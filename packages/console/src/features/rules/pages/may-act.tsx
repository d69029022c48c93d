import { useRef, useState } from 'preact/hooks'
import { Button } from '../../../web/kit/button.tsx'
import { Choice } from '../../../web/kit/choice.tsx'
import { Field } from '../../../web/kit/field.tsx'
import { PersonInput } from '../../../web/kit/person-input.tsx'
import { text, words } from '../../../web/kit/text.tsx'
import { inWords } from '../../../web/session/problem.ts'
import { ApiProblem, type Session } from '../../../web/session/session.ts'
import { suggestCustomers, suggestFromAudit } from '../../../web/session/suggest.ts'
import type { MayActAnswer, MayActBody } from '../server/answers.ts'
import { type NeededPart, VerdictInWords } from './verdict.tsx'

const { form } = words.rules
const { running } = words.impersonations

/** Asks the rules whether an operator may act as a customer. Nothing starts. */
export function MayAct({ session, Needed }: { session: Session; Needed: NeededPart }) {
  const { applications, ticketExample, role } = session.me
  const [asked, setAsked] = useState<MayActBody>({
    ...{ operator: '', userId: '', access: 'read' },
    application: applications[0]?.clientId ?? '',
  })
  const [answer, setAnswer] = useState<MayActAnswer | string>()
  const question = useRef<AbortController>()
  const root = useRef<HTMLFormElement>(null)
  const application = applications.find(({ clientId }) => clientId === asked.application)
  const change = (members: Partial<MayActBody>) => {
    question.current?.abort()
    setAnswer(undefined)
    setAsked((before) => ({ ...before, ...members }))
  }

  const ask = async () => {
    if (!root.current?.reportValidity()) return
    question.current?.abort()
    question.current = new AbortController()
    const { signal } = question.current
    const { ticketId, access, ...body } = asked
    const shown = await session
      .ask<MayActAnswer>('/may-act', {
        method: 'POST',
        signal,
        body: {
          ...body,
          access: application?.canChange ? access : 'read',
          ...(ticketId?.trim() ? { ticketId } : {}),
        } satisfies MayActBody,
      })
      .catch((error: unknown) => troubleInWords(error, role === 'auditor'))
    if (!signal.aborted) setAnswer(shown)
  }

  return (
    <section>
      <h2>{form.title}</h2>
      <form class="card form" ref={root} onSubmit={(event) => event.preventDefault()}>
        <PersonInput
          isInForm
          id="operator"
          label={form.operator}
          value={asked.operator}
          suggest={suggestFromAudit(session, 'operator')}
          onChoose={(operator) => change({ operator })}
        />
        <PersonInput
          isInForm
          id="customer"
          label={form.customer}
          help={role === 'auditor' ? form.customerOfAudit : undefined}
          value={asked.userId}
          suggest={suggestCustomers(session)}
          onChoose={(userId) => change({ userId })}
        />
        {applications.length > 1 && (
          <Choice
            legend={form.application}
            name="application"
            value={asked.application}
            options={applications.map(({ clientId, name }) => ({ value: clientId, label: name }))}
            onChoose={(clientId) => change({ application: clientId })}
          />
        )}
        {application?.canChange && (
          <Choice
            legend={form.access}
            name="access"
            value={asked.access}
            options={[
              { value: 'read', label: running.look },
              { value: 'change', label: running.change },
            ]}
            onChoose={(access) => change({ access: access === 'change' ? access : 'read' })}
          />
        )}
        <Field
          id="ticket"
          label={form.ticket}
          help={ticketExample ? text(form.ticketHelp, { ticket: ticketExample }) : form.noTicket}
        >
          {(input) => (
            <input
              {...input}
              autoComplete="off"
              spellcheck={false}
              dir="auto"
              value={asked.ticketId ?? ''}
              onInput={(event) => change({ ticketId: event.currentTarget.value })}
            />
          )}
        </Field>
        <div class="actions">
          <Button kind="primary" isDefault onPress={ask}>
            {form.ask}
          </Button>
        </div>
        <div role="status" class="verdict">
          {typeof answer === 'string' ? (
            <p>{answer}</p>
          ) : (
            answer && <VerdictInWords session={session} of={answer} Needed={Needed} />
          )}
        </div>
        <p class="note">{form.about}</p>
      </form>
    </section>
  )
}

function troubleInWords(error: unknown, isAuditor: boolean): string {
  if (!(error instanceof ApiProblem)) return inWords(error)
  if (error.error === 'user_not_found' && isAuditor) return form.notInAudit
  if (error.status === 400) return text(form.notAccepted, { why: error.message })
  return inWords(error)
}
