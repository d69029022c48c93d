import { isAlarmOpen } from 'oidc-provider-impersonation-verify/format'
import { type StaffAt, text } from '../../../web/kit/at.ts'
import { Disclosure } from '../../../web/kit/form.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { NoteAction } from '../../../web/kit/note-action.tsx'
import { auditPath } from '../../../web/kit/paths.ts'
import { actingText, personName } from '../../../web/kit/people.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { ImpersonationAnswer } from '../server/impersonation.ts'
import { ImpersonationFacts } from './facts.tsx'
import { EndButton, StopButton } from './running.tsx'
import { Timeline } from './timeline.tsx'

/** One impersonation: all facts, and everything that happened in it. The address is permanent. */
export const impersonationPage: View<ImpersonationAnswer> = (row, at) => {
  const { impersonation: labels } = at.words.impersonations.audit
  const slots = { operator: personName(at, row.operator), customer: personName(at, row.customer) }
  return {
    title: row.outcome === 'refused' ? text(at, labels.titleRefused, slots) : actingText(at, row),
    back: { to: '/audit', label: labels.back },
    body: (
      <>
        <ReviewNote of={row} />
        <Actions of={row} />
        <div class="facts-part" data-about={row.id}>
          <ImpersonationFacts of={row} />
        </div>
        <Timeline of={row} />
      </>
    ),
  }
}

/** Above all other facts: why a person has to look at it. What permits say is in the words of the page. */
function ReviewNote({ of: row }: { of: ImpersonationAnswer }, at: StaffAt) {
  const { review, operator, unapproved, isReviewDue } = row
  const { records, impersonations } = at.words
  const { impersonation: labels } = impersonations.audit
  if (!review) return null
  return (
    <section class={isReviewDue ? 'message refused' : 'message'} aria-label={records.toReview}>
      {unapproved && (
        <p>
          {text(at, labels.unapproved, { operator: personName(at, operator) })}{' '}
          {unapproved === 'after_refusal' && records.afterRefusal}
        </p>
      )}
      <p>{text(at, labels.reviewWanted, { reason: review })}</p>
    </section>
  )
}

/** Buttons for what the reader can do with it. */
function Actions({ of: row }: { of: ImpersonationAnswer }, at: StaffAt) {
  const { id, alarm, keys, operator } = row
  const isHeld = row.hold?.isHeld
  const { impersonations, alarms } = at.words
  const { impersonation: labels, prove } = impersonations.audit
  const { role } = at.me
  const isOwn = operator?.id === at.me.id
  const path = auditPath(id)
  return (
    <div class="actions">
      <EndButton of={row} />
      {role === 'lead' && !isOwn && alarm && isAlarmOpen(row) && (
        <NoteAction
          action={`${path}/acknowledge`}
          label={alarms.acknowledge}
          kind="primary"
          about={alarms.acknowledgeAbout}
          fields={{ alarms: String(alarm.count) }}
        />
      )}
      {role !== 'operator' && (
        <NoteAction
          isNeeded={!isHeld}
          action={`${path}/${isHeld ? 'release' : 'hold'}`}
          label={isHeld ? labels.release : labels.putOnHold}
          about={isHeld ? labels.releaseAbout : labels.holdAbout}
        />
      )}
      <StopButton operator={operator} />
      {role !== 'operator' && (
        <Disclosure id="prove" label={prove.title}>
          <div class="card">
            <p>{prove.about}</p>
            <p>
              <Link class="button primary" to={`${path}/entries.jsonl`} download>
                {prove.save}
              </Link>
            </p>
            <p>{prove.command}</p>
            <pre class="command">
              <code>
                {/* An id may begin with a hyphen: after a space, it would be taken for an option. */}
                {`npx oidc-provider-impersonation-verify impersonation-${id}.jsonl --jwks ${keys} --impersonation=${id}`}
              </code>
            </pre>
          </div>
        </Disclosure>
      )}
    </div>
  )
}
