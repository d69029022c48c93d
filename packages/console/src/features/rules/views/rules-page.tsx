import { neededText } from '../../../records/views/approval-part.tsx'
import type { Foreseen } from '../../../web/acting/asked-for.ts'
import { type At, type StaffAt, text } from '../../../web/kit/at.ts'
import { Choice, PersonField, TextField } from '../../../web/kit/form.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { recordPath } from '../../../web/kit/paths.ts'
import { durationText } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { RulesAnswer } from '../server/rules.ts'

/** The rules in force, and a question to them. */
export const rulesPage: View<RulesAnswer> = (model, { words }) => ({
  title: words.rules.title,
  about: words.rules.about,
  isNarrow: true,
  body: (
    <>
      <section>
        <h2>{words.rules.form.title}</h2>
        <MayAct of={model} />
      </section>
      <section>
        <h2>{words.rules.inForce}</h2>
        {model.rules.length === 0 ? (
          <p class="soft">{words.rules.none}</p>
        ) : (
          <ol class="card rules">
            {model.rules.map((description, index) => (
              <li key={index}>
                {description === null ? <i>{words.rules.unnamed}</i> : <bdi>{description}</bdi>}
              </li>
            ))}
          </ol>
        )}
        <p class="note">{words.rules.ofConsole}</p>
      </section>
    </>
  ),
})

/** Asks the rules whether an operator may act as a customer. Nothing starts. */
function MayAct({ of: { question, mayAct, notAnswered } }: { of: RulesAnswer }, at: StaffAt) {
  const { base, words, me } = at
  const { form } = words.rules
  const { look, change } = words.impersonations.running
  const isAuditor = me.role === 'auditor'
  const noCustomer = isAuditor ? form.notInAudit : words.web.problems.codes.user_not_found
  const field = (name: keyof typeof question) => ({ id: name, name, value: question[name] ?? '' })
  return (
    <form class="card form" id="may-act" method="get" action={`${base}/rules`}>
      <PersonField required of={field('operator')} who="operator" label={form.operator} />
      <PersonField
        required
        of={field('userId')}
        who="customer"
        label={form.customer}
        help={isAuditor && form.customerOfAudit}
      />
      <Choice
        of={field('application')}
        legend={form.application}
        options={me.applications.map(({ clientId, name }) => [clientId, name])}
      />
      {me.applications.some(({ canChange }) => canChange) && (
        <Choice
          of={field('access')}
          legend={form.access}
          options={[
            ['read', look],
            ['change', change],
          ]}
        />
      )}
      <TextField
        of={field('ticketId')}
        label={form.ticket}
        help={
          me.ticketExample === undefined
            ? form.noTicket
            : text(at, form.ticketHelp, { ticket: me.ticketExample })
        }
      />
      <div class="actions">
        <button type="submit" class="button primary">
          {form.ask}
        </button>
      </div>
      <div role="status" class="verdict" id="verdict">
        {mayAct && <Verdict of={mayAct} />}
        {notAnswered && (
          <p>
            {notAnswered.error === 'user_not_found'
              ? noCustomer
              : text(at, form.notAccepted, { why: notAnswered.why })}
          </p>
        )}
      </div>
      <p class="note">{form.about}</p>
    </form>
  )
}

/** The answer that the operator would get. */
function Verdict({ of }: { of: Foreseen }, at: At) {
  const { verdict, seconds, permits = [], approval, record, by = 'rule', reason } = of
  const labels = at.words.rules.verdict
  const allowed =
    seconds === undefined
      ? labels.allowed
      : text(at, labels.allowedFor, { time: durationText(at, seconds) })
  return (
    <>
      <p>
        <b class={verdict}>{verdict === 'allowed' ? allowed : labels[verdict]}</b>
      </p>
      {permits.map((id) => (
        <p key={id}>
          <Link to={recordPath(id)}>{labels.permit}</Link>
        </p>
      ))}
      {verdict === 'needs' && <p>{approval ? neededText(at, approval) : labels.noPermits}</p>}
      {/* The directory says in its own sentence why a customer is protected. */}
      {verdict === 'refused' && <p>{by === 'protected' ? (reason ?? labels.rule) : labels[by]}</p>}
      {record && (
        <p>
          <Link to={recordPath(record.id)}>{labels.stopLink}</Link>
        </p>
      )}
    </>
  )
}
