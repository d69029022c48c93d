import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import type { RunningImpersonation } from '../../../web/answers.ts'
import { type At, text } from '../../../web/kit/at.ts'
import { ActionButton } from '../../../web/kit/form.tsx'
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
