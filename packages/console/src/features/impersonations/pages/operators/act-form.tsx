import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ActBody, CustomerAnswer } from '../../../../web/answers.ts'
import { Button } from '../../../../web/kit/button.tsx'
import { Choice } from '../../../../web/kit/choice.tsx'
import { durationText } from '../../../../web/kit/duration.ts'
import { Field } from '../../../../web/kit/field.tsx'
import { clearMessage } from '../../../../web/kit/message.tsx'
import { nameOf } from '../../../../web/kit/names.ts'
import { customerPath } from '../../../../web/kit/paths.ts'
import { go, Link } from '../../../../web/kit/router.tsx'
import { useShortcut } from '../../../../web/kit/shortcuts.tsx'
import { language, text, words } from '../../../../web/kit/text.tsx'
import { useDraft } from '../../../../web/session/drafts.ts'
import type { ApiProblem, Session, Start } from '../../../../web/session/session.ts'
import { useRunning } from '../running/live.ts'
import {
  type ActDraft,
  type ActProblems,
  bodyOf,
  chosen,
  problemsOf,
  wrongTicketText,
} from './act-check.ts'

/** What a link from a ticket system says. */
export interface ActLink {
  readonly ticket: string
  readonly reason: string
  readonly access: string
}

/** What permits show in the form. */
export interface ApprovalPart<T> {
  /** What a refusal says that can be done; `undefined` for any other problem. */
  needIn(problem: ApiProblem): T | undefined
  /** What the rule says of a start beforehand; `body` is absent while something is missing. */
  readonly Hint: (props: { session: Session; body: ActBody | undefined }) => VNode
  /** Stands for *Act as*. */
  readonly Ask: (props: {
    session: Session
    approval: T
    body: ActBody
    /** Acts as the form says. */
    onStart: (first?: StartFirst) => Promise<unknown>
  }) => VNode
}

/** What stands for what the form says, and what is stored before the start. */
export interface StartFirst extends Pick<Start, 'before' | 'onProblem'> {
  readonly reason: string
}

/** Asks why, in which application, and what for. Nothing starts without a click. */
export function ActForm<T>(props: {
  session: Session
  customer: CustomerAnswer
  link: ActLink
  approvalPart: ApprovalPart<T>
}) {
  const { session, customer, link, approvalPart } = props
  const { me } = session
  const { form } = words.impersonations.operators
  // Another link is another form: it does not show what was typed into this one.
  const [draft, change, forget] = useDraft<ActDraft>(
    `act ${JSON.stringify([customer.id, link.ticket, link.reason, link.access])}`,
    { ...link, application: '', duration: '' },
  )
  const [problems, setProblems] = useState<ActProblems>({})
  const [approval, setApproval] = useState<T>()
  const isStarting = useRef(false)
  const leaving = useRef(new AbortController())
  const hasFailed = useRef(false)
  useEffect(
    () => () => {
      leaving.current.abort()
      // Its button would start what is no longer on the screen.
      if (hasFailed.current) clearMessage()
    },
    [],
  )
  const root = useRef<HTMLFormElement>(null)
  const { application, duration, access } = chosen(draft, me)

  // An application lets one impersonation act at a time, in one browser.
  const inTheWay = (useRunning(session).running ?? []).filter(
    (it) => it.isMine && it.application === application?.name,
  )

  const focusOn = (id: string) => root.current?.querySelector<HTMLElement>(`#${id}`)?.focus()

  const edit = (changes: Partial<ActDraft>) => {
    change(changes)
    setApproval(undefined)
  }

  const type = (field: 'reason' | 'ticket', value: string) => {
    edit({ [field]: value })
    setProblems(({ [field]: _, ...others }) => others)
  }

  /** The server looks at characters, too, that this page does not know of. */
  const atField = (problem: ApiProblem) => {
    const { status, message } = problem
    const needed = approvalPart.needIn(problem)
    setApproval(() => needed)
    if (needed) return true
    if (status !== 400) return false
    const field = /^(?:ticketId|reason) /.exec(message)?.[0]
    if (!field) return false
    const isTicket = field.startsWith('ticketId')
    setProblems(isTicket ? { ticket: wrongTicketText(me) } : { reason: words.web.textWrong })
    focusOn(isTicket ? 'ticket' : 'reason')
    return true
  }

  const start = async (instead?: StartFirst) => {
    if (isStarting.current) return
    const found = problemsOf(draft, me)
    setProblems(found)
    const [first] = Object.keys(found)
    if (first) return focusOn(first)
    isStarting.current = true
    try {
      const { reason, ...how } = instead ?? { reason: undefined, onProblem: atField }
      const body = bodyOf(customer.id, draft, me)
      const hasBegun = await session.start({
        ...how,
        body: reason === undefined ? body : { ...body, reason },
        customer: customer.name,
        application: application?.name,
        signal: leaving.current.signal,
        again: () => latest.current(),
      })
      hasFailed.current = !hasBegun
      if (!hasBegun) return
      forget()
      go(customerPath(customer.id), { instead: true })
    } finally {
      isStarting.current = false
    }
  }
  // What is typed after a failure counts when it is tried again.
  const latest = useRef(start)
  latest.current = start
  useShortcut('Control+Enter', form.shortcut, () => start())

  const cancel = (
    <Link to={customerPath(customer.id)} class="button quiet">
      {form.cancel}
    </Link>
  )
  return (
    <>
      {/* Enter in a field presses *Act as*. */}
      <form
        class="form act-form"
        ref={root}
        noValidate
        onSubmit={(event) => event.preventDefault()}
      >
        <Field id="ticket" label={form.ticket} problem={problems.ticket}>
          {(input) => (
            <input
              {...input}
              type="text"
              dir="auto"
              autoComplete="off"
              spellcheck={false}
              required
              value={draft.ticket}
              onInput={(event) => type('ticket', event.currentTarget.value)}
            />
          )}
        </Field>
        <Field id="reason" label={form.reason} help={form.reasonHelp} problem={problems.reason}>
          {(input) => (
            <textarea
              {...input}
              rows={2}
              dir="auto"
              required
              value={draft.reason}
              onInput={(event) => type('reason', event.currentTarget.value)}
            />
          )}
        </Field>
        {me.applications.length > 1 && (
          <Choice
            legend={form.application}
            name="application"
            value={application?.clientId ?? ''}
            options={me.applications.map(({ clientId, name }) => ({
              value: clientId,
              label: name,
            }))}
            onChoose={(value) => edit({ application: value })}
          />
        )}
        {application?.canChange ? (
          <Choice
            legend={form.access}
            name="access"
            value={access}
            options={[
              { value: 'read', label: form.read },
              { value: 'change', label: form.change },
            ]}
            onChoose={(value) => edit({ access: value })}
          />
        ) : (
          <p class="hint">{text(form.onlyRead, { application: application?.name ?? '' })}</p>
        )}
        {me.durations.length > 1 && (
          <Choice
            legend={form.duration}
            name="duration"
            value={String(duration)}
            options={me.durations.map((seconds) => ({
              value: String(seconds),
              label: durationText(seconds, language),
            }))}
            onChoose={(value) => edit({ duration: value })}
          />
        )}
        {inTheWay.map((it) => (
          <p key={it.id} class="hint">
            {text(it.customer.id === customer.id ? form.already : form.oneAtATime, {
              name: nameOf(it.customer),
              application: application?.name ?? '',
            })}
          </p>
        ))}
        {me.permits && !approval && (
          <approvalPart.Hint
            session={session}
            body={
              Object.keys(problemsOf(draft, me)).length > 0
                ? undefined
                : bodyOf(customer.id, draft, me)
            }
          />
        )}
        {!approval && (
          <div class="actions">
            <Button kind="primary" isDefault onPress={() => start()}>
              {text(inTheWay.length > 0 ? form.submitInstead : form.submit, {
                name: customer.name,
              })}
            </Button>
            {cancel}
          </div>
        )}
      </form>
      {approval && (
        <>
          <approvalPart.Ask
            onStart={start}
            session={session}
            approval={approval}
            body={bodyOf(customer.id, draft, me)}
          />
          <div class="actions">{cancel}</div>
        </>
      )}
    </>
  )
}
