import type { AuditPerson, AuditRow } from 'oidc-provider-impersonation-verify/format'
import type { RunningImpersonation } from '../../../web/answers.ts'
import { type At, counted, text } from '../../../web/kit/at.ts'
import { ActionButton, Disclosure } from '../../../web/kit/form.tsx'
import { actorName, personName } from '../../../web/kit/people.tsx'

/** Ends what runs. */
export function EndButton(
  props: {
    of: Pick<RunningImpersonation, 'id' | 'isMine'> &
      Pick<AuditRow, 'customer' | 'operator' | 'software'>
    /** Of the form, if the page has this button twice. */
    id?: string
  },
  at: At,
) {
  const { of: it, id } = props
  const { end, endMine, endOf } = at.words.impersonations.running
  const slots = { operator: actorName(at, it), customer: personName(at, it.customer) }
  return (
    <ActionButton
      action={`/running/${it.id}/end`}
      id={id}
      kind="danger"
      label={text(at, it.isMine ? endMine : endOf, slots)}
    >
      {end}
    </ActionButton>
  )
}

/** Ends all that an operator runs, after a second press. @param props.count how many the reader may end */
export function EndAll(
  { operator: { id, name }, count }: { operator: AuditPerson; count: number },
  at: At,
) {
  const labels = at.words.impersonations.running
  const slots = { operator: name ?? id }
  return (
    <Disclosure id={`end-all-${id}`} label={text(at, labels.endAll, slots)} kind="danger">
      <div class="card form">
        <b>{text(at, labels.endAllTitle, slots)}</b>
        <p>{counted(at, labels.endAllQuestion, count, slots)}</p>
        <div class="actions">
          <ActionButton action="/running/end" kind="danger" fields={{ operator: id }}>
            {counted(at, labels.endAllNow, count)}
          </ActionButton>
        </div>
      </div>
    </Disclosure>
  )
}
