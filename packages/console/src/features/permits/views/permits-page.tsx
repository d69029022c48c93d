import type { At } from '../../../web/kit/at.ts'
import { Link, Older } from '../../../web/kit/link.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { PermitAnswer, PermitsAnswer } from '../server/api/answers.ts'
import { PausedOperators } from './pauses.tsx'
import { PermitCard } from './permit-card.tsx'

/** What waits for the reader, what they asked for, and what else is open. */
export const permitsPage: View<PermitsAnswer> = ({ toReview, pauses, permits, next }, at) => {
  const labels = at.words.permits
  const parts = Map.groupBy(permits, partOf)
  return {
    title: labels.title,
    about: labels.about,
    ids: [...toReview, ...pauses, ...permits].map(({ id }) => id),
    body: (
      <>
        <ApprovalTabs current="open" />
        {toReview.length + pauses.length + permits.length === 0 && (
          <p class="empty">{labels.nothing}</p>
        )}
        <Part name={labels.review} about={labels.reviewAbout} of={toReview} />
        <PausedOperators of={pauses} />
        <Part name={labels.decide} of={parts.get('decide')} />
        <Part name={labels.mine} of={parts.get('mine')} />
        <Part name={labels.others} of={parts.get('others')} />
        <Part name={labels.inForce} of={parts.get('inForce')} />
        <Part name={labels.refusedToday} of={parts.get('refused')} isFolded />
        <Older to="/approvals" next={next} label={labels.older} />
      </>
    ),
  }
}

function partOf({ may, isMine, state, review }: PermitAnswer) {
  if (may.includes('grant')) return 'decide'
  if (isMine) return 'mine'
  if (state === 'refused') return 'refused'
  const isLookedAt = review === undefined || review.at !== undefined
  return state === 'granted' && isLookedAt ? 'inForce' : 'others'
}

function Part(props: {
  name: string
  about?: string
  of: readonly PermitAnswer[] | undefined
  isFolded?: true
}) {
  const { name, about, of = [], isFolded } = props
  if (of.length === 0) return null
  const cards = (
    <ul class="cards" aria-label={name}>
      {of.map((permit) => (
        <PermitCard key={permit.id} permit={permit} />
      ))}
    </ul>
  )
  if (isFolded) {
    return (
      <details id="folded">
        <summary>
          {name} ({of.length})
        </summary>
        {cards}
      </details>
    )
  }
  return (
    <section>
      <h2>{name}</h2>
      {about && <p class="note">{about}</p>}
      {cards}
    </section>
  )
}

/** What is open, and what came of all others. */
export function ApprovalTabs({ current }: { current: 'history' | 'open' }, { words }: At) {
  const labels = words.permits
  return (
    <nav class="tabs" aria-label={labels.title}>
      <Link to="/approvals" current={current === 'open'}>
        {labels.openTab}
      </Link>
      <Link to="/approvals/history" current={current === 'history'}>
        {labels.history.title}
      </Link>
    </nav>
  )
}
