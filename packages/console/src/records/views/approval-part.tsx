import { MAX_REASON_LENGTH } from 'oidc-provider-impersonation-verify/format'
import { type At, counted, text } from '../../web/kit/at.ts'
import { Button, Disclosure, type FieldIn, NoteField } from '../../web/kit/form.tsx'
import { Link } from '../../web/kit/link.tsx'
import { recordPath } from '../../web/kit/paths.ts'
import { timeText } from '../../web/kit/time.tsx'
import type { Approval, Deciders } from '../../web/record-answer.ts'

/** A part of the form to act: which approval is missing, and the way to ask for it. */
export function ApprovalPart({ approval, field }: { approval: Approval; field: FieldIn }, at: At) {
  const { by, deciders, emergency, isReviewDue, record, refused } = approval
  const { ask, problems } = at.words.permits
  const hasNobody = deciders?.names.length === 0 && !deciders.isLeads
  const isCustomers = !refused && by.includes('user')
  return (
    <div class="card ask">
      <p role="status">
        {record ? problems.already_requested : neededText(at, approval)}{' '}
        {!record && isCustomers && ask.customer}
        {record && <Link to={recordPath(record.id)}>{ask.page}</Link>}
      </p>
      {!record && !hasNobody && !refused && (
        <div class="actions">
          <Button
            kind="primary"
            data-key="Control+Enter"
            formAction={`${at.base}/permits`}
            formTarget="_self"
          >
            {ask.submit}
          </Button>
        </div>
      )}
      {emergency && !hasNobody && <Emergency field={field} />}
      {isReviewDue && <p class="note">{problems.review_due}</p>}
    </div>
  )
}

function Emergency({ field }: { field: FieldIn }, { words }: At) {
  const { ask } = words.permits
  const why = field('emergency')
  return (
    <Disclosure
      id="emergency"
      label={ask.emergency}
      kind="danger"
      open={why.value !== '' || why.problem !== undefined}
    >
      <div class="emergency">
        <p class="note">{ask.emergencyAbout}</p>
        <NoteField of={why} label={ask.emergencyReason} maxLength={MAX_REASON_LENGTH} />
        <Button kind="danger" name="isEmergency" value="true">
          {ask.emergencyGo}
        </Button>
      </div>
    </Disclosure>
  )
}

/** Says what is needed, and who can give it, or who refused it. */
export function neededText(
  at: At,
  { by, deciders, refused }: Pick<Approval, 'by' | 'deciders' | 'refused'>,
) {
  const { permits, records } = at.words
  if (refused) {
    const person = refused.by.name ?? refused.by.id
    return text(at, permits.ask.refused, { person, time: timeText(at, refused.until) })
  }
  const needs = records.needs[by.length > 1 ? 'both' : (by[0] ?? 'second_person')]
  return deciders ? `${needs} ${decidersText(at, deciders)}` : needs
}

/** Says who can decide. */
function decidersText(at: At, { names, others, isLeads }: Deciders) {
  const { ask } = at.words.permits
  if (isLeads) return ask.leads
  if (names.length === 0) return ask.nobody
  const slots = { names: new Intl.ListFormat(at.locale).format(names) }
  return others > 0 ? counted(at, ask.peopleAndMore, others, slots) : text(at, ask.people, slots)
}
