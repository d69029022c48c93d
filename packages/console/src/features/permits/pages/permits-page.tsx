import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../../web/kit/button.tsx'
import { say } from '../../../web/kit/message.tsx'
import { Page } from '../../../web/kit/page.tsx'
import { useShortcut } from '../../../web/kit/shortcuts.tsx'
import { Skeleton } from '../../../web/kit/skeleton.tsx'
import { words } from '../../../web/kit/text.tsx'
import { ProblemMessage } from '../../../web/session/load.tsx'
import type { PageProps } from '../../../web/session/page-routes.ts'
import { inWords } from '../../../web/session/problem.ts'
import type { PermitAnswer, PermitsAnswer } from '../server/api/answers.ts'
import { useDeciding } from './deciding.tsx'
import { PausedOperators } from './pauses.tsx'
import { PermitCard } from './permit-card.tsx'
import { PermitWatch } from './permit-watch.ts'
import { ApprovalTabs } from './tabs.tsx'

const { permits: labels } = words

/** What waits for the reader, what they asked for, and what else is open. */
export function PermitsPage({ session }: PageProps) {
  const watch = PermitWatch.of(session)
  const [, redraw] = useState({})
  const [older, setOlder] = useState<{ shown: readonly PermitAnswer[]; next?: string }>()
  useEffect(() => watch.listen(() => redraw({})), [watch])
  const { dialog, choose } = useDeciding(session, () => watch.load())
  // The keys count while a card itself has the focus, so that no stray key decides.
  const decideBy = (what: 'grant' | 'refuse') => () => {
    const focus = document.activeElement
    const id = focus instanceof HTMLElement ? focus.dataset.permit : undefined
    const permit = toDecide.find((each) => each.id === id)
    if (permit) choose({ permit, what })
  }
  const toReview = watch.toReview.filter(({ may }) => may.includes('review'))
  const reviewed = new Set(toReview.map(({ id }) => id))
  const all = [...watch.permits, ...(older?.shown ?? [])].filter(({ id }) => !reviewed.has(id))
  const toDecide = all.filter(({ may }) => may.includes('grant'))
  const rest = all.filter((permit) => !toDecide.includes(permit))
  const mine = rest.filter(({ isMine }) => isMine)
  const others = rest.filter(({ isMine }) => !isMine)
  const keys = { isOff: toDecide.length === 0 }
  useShortcut('a', labels.keyGrant, decideBy('grant'), keys)
  useShortcut('r', labels.keyRefuse, decideBy('refuse'), keys)
  const next = older ? older.next : watch.next
  const showOlder = async () => {
    try {
      const query = new URLSearchParams({ open: 'true', before: next ?? '' })
      const page = await session.ask<PermitsAnswer>(`/permits?${query}`)
      const shown = [...(older?.shown ?? []), ...page.permits]
      setOlder(page.next === undefined ? { shown } : { shown, next: page.next })
    } catch (error) {
      say('trouble', inWords(error))
    }
  }
  const cards = (permits: readonly PermitAnswer[], label: string) => (
    <ul class="cards" aria-label={label}>
      {permits.map((permit) => (
        <PermitCard key={permit.id} session={session} permit={permit} onChoose={choose} />
      ))}
    </ul>
  )
  return (
    <Page title={labels.title} about={labels.about}>
      <ApprovalTabs current="open" />
      {watch.problem !== undefined && (
        <ProblemMessage error={watch.problem} again={() => watch.load()} />
      )}
      {watch.state === 'loading' && <Skeleton label={labels.loading} lines={6} />}
      {toReview.length > 0 && (
        <section>
          <h2>{labels.review}</h2>
          <p class="note">{labels.reviewAbout}</p>
          {cards(toReview, labels.review)}
        </section>
      )}
      <PausedOperators session={session} />
      {toDecide.length > 0 && (
        <section>
          <h2>{labels.decide}</h2>
          {cards(toDecide, labels.decide)}
        </section>
      )}
      {mine.length > 0 && (
        <section>
          <h2>{labels.mine}</h2>
          {cards(mine, labels.mine)}
        </section>
      )}
      {others.length > 0 && (
        <section>
          <h2>{labels.others}</h2>
          {cards(others, labels.others)}
        </section>
      )}
      {next !== undefined && <Button onPress={showOlder}>{labels.older}</Button>}
      {dialog}
    </Page>
  )
}
