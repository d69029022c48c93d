import { MAX_REASON_LENGTH } from 'oidc-provider-impersonation-verify/format'
import { ApprovalPart } from '../../../records/views/approval-part.tsx'
import { type StaffAt, text } from '../../../web/kit/at.ts'
import { Button, Choice, type FieldIn, Form, NoteField, TextField } from '../../../web/kit/form.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { customerPath } from '../../../web/kit/paths.ts'
import { personName } from '../../../web/kit/people.tsx'
import { durationText } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { ActPageAnswer } from '../server/act.ts'
import { ToAct } from './customer-page.tsx'

type ActModel = Extract<ActPageAnswer, { customer: object }>

/** Asks why, in which application, and what for. Nothing starts without a click. */
export const actPage: View<ActPageAnswer> = (model, at) => {
  const { operators } = at.words.impersonations
  if (!('customer' in model)) {
    return {
      title: operators.notFoundTitle,
      about: operators.form.noUser,
      isNarrow: true,
      body: <Link to="/customers">{operators.toSearch}</Link>,
    }
  }
  return {
    title: text(at, operators.form.title, { name: model.customer.name }),
    isNarrow: true,
    body: (
      <ToAct of={model}>
        <ActForm model={model} />
      </ToAct>
    ),
  }
}

function ActForm({ model }: { model: ActModel }, at: StaffAt) {
  const { customer, draft } = model
  const { applications, ticketExample: example, ticketPattern } = at.me
  const { form } = at.words.impersonations.operators
  const like = example === undefined ? form.ticketWrong : text(at, form.ticketLike, { example })
  return (
    <Form
      opens
      action="/impersonations"
      id="act"
      class="form act-form"
      fields={{ userId: customer.id, instead: 'true' }}
      foresees="next"
    >
      {(field) => {
        const ticket = field('ticketId', draft.ticket)
        return (
          <>
            <TextField
              required
              of={ticket.problem ? { ...ticket, problem: like } : ticket}
              label={form.ticket}
              data-asks="ticket"
              pattern={ticketPattern}
              title={ticketPattern && like}
            />
            <NoteField
              required
              of={field('reason', draft.reason)}
              label={form.reason}
              help={form.reasonHelp}
              maxLength={MAX_REASON_LENGTH}
            />
            <Choice
              of={field('application', draft.application)}
              legend={form.application}
              asks="application"
              options={applications.map(({ clientId, name }) => [clientId, name])}
            />
            <div id="next" class="next">
              <Next model={model} field={field} />
            </div>
          </>
        )
      }}
    </Form>
  )
}

/** A part that depends on what stands in the form: the script fetches it again. */
function Next({ model, field }: { model: ActModel; field: FieldIn }, at: StaffAt) {
  const { by, customer, draft, inTheWay } = model
  // A refused form says itself what it needs: it is not asked again for what was typed.
  const needed: unknown = Reflect.get(at.refused?.more ?? {}, 'approval')
  const approval = needed ? Object(needed) : model.approval
  const verdict = needed ? 'needs' : model.verdict
  const { applications, durations } = at.me
  const { form } = at.words.impersonations.operators
  const { codes } = at.words.web.problems
  const { value: clientId } = field('application', draft.application)
  const application = applications.find((each) => each.clientId === clientId)
  const slots = { application: application?.name ?? '' }
  const look = ['read', form.read] as const
  return (
    <>
      <Choice
        of={field('access', draft.access)}
        legend={form.access}
        asks="access"
        options={application?.canChange ? [look, ['change', form.change]] : [look]}
      />
      {!application?.canChange && <p class="hint">{text(at, form.onlyRead, slots)}</p>}
      <Choice
        of={field('duration', draft.duration === undefined ? '' : `${draft.duration}`)}
        legend={form.duration}
        asks="duration"
        options={durations.map((seconds) => [`${seconds}`, durationText(at, seconds)])}
      />
      {inTheWay.map((it) => (
        <p key={it.id} class="hint">
          {text(at, form.oneAtATime, { ...slots, name: personName(at, it.customer) })}
        </p>
      ))}
      {approval && <ApprovalPart approval={approval} field={field} />}
      {verdict === 'needs' && !approval && <p role="status">{at.words.rules.verdict.noPermits}</p>}
      {verdict === 'refused' && (
        <p role="status" class="message refused">
          {by === 'self' ? codes.own_account : at.words.permits.ask.ruleRefuses}
        </p>
      )}
      <div class="actions">
        {verdict !== 'needs' && verdict !== 'refused' && (
          <Button kind="primary" data-key="Control+Enter">
            {text(at, inTheWay.length > 0 ? form.submitInstead : form.submit, {
              name: customer.name,
            })}
          </Button>
        )}
        <Link to={customerPath(customer.id)} class="button quiet">
          {form.cancel}
        </Link>
      </div>
    </>
  )
}
