import { outcomeOf } from 'oidc-provider-impersonation-verify/format'
import { Fragment } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RowAnswer } from '../../../../web/answers.ts'
import { Button } from '../../../../web/kit/button.tsx'
import { dateOf } from '../../../../web/kit/dates.ts'
import { say } from '../../../../web/kit/message.tsx'
import { Skeleton } from '../../../../web/kit/skeleton.tsx'
import { counted, words } from '../../../../web/kit/text.tsx'
import { useSlow } from '../../../../web/kit/use-slow.ts'
import { ProblemMessage } from '../../../../web/session/load.tsx'
import { inWords } from '../../../../web/session/problem.ts'
import type { Session } from '../../../../web/session/session.ts'
import { type RequestRun, runsOf } from './runs.ts'
import { Timeline } from './timeline.ts'
import { anchorOf, DayItem, Expiry, RunItem } from './timeline-items.tsx'

const { timeline: labels } = words.impersonations.audit

/** Everything that happened in an impersonation, oldest first; what comes goes to the end. */
export function TimelineView({
  session,
  row,
  hash,
}: {
  session: Session
  row: RowAnswer
  /** `#` and the cursor of an entry, or nothing. */
  hash: string
}) {
  const timeline = useTimeline(session, row.id, hash)
  const target = hash.slice(1)
  const { state, entries, hasMore } = timeline
  const isSlow = useSlow(state === 'loading')
  const isFound = timeline.has(target)
  const now = Date.now() + session.clockOffset
  const runs = runsOf(entries)
  // An expiry raises no event.
  const expiry = outcomeOf(row, now) === 'expired' ? row.expiresAt : undefined
  const later = runs.findIndex(([{ timeMs: time }]) => expiry !== undefined && time > expiry)
  const before = later === -1 ? runs.length : later
  useEffect(() => {
    if (!isFound) return
    const element = document.getElementById(anchorOf(target))
    element?.focus({ preventScroll: true })
    if (element && !isInSight(element)) element.scrollIntoView({ block: 'center' })
  }, [target, isFound])

  let day = ''
  const itemOf = (run: RequestRun) => {
    const [{ cursor, timeMs: time }] = run
    const isNewDay = dateOf(time) !== day
    day = dateOf(time)
    return (
      <Fragment key={cursor}>
        {isNewDay && <DayItem at={time} />}
        <RunItem run={run} row={row} target={target} />
      </Fragment>
    )
  }
  const more = async () => {
    try {
      await timeline.more()
    } catch (error) {
      say('trouble', inWords(error), { label: words.web.tryAgain, run: more })
    }
  }
  return (
    <section class="timeline-part" aria-labelledby="timeline">
      <h2 id="timeline">{labels.title}</h2>
      {state === 'failed' && (
        <ProblemMessage error={timeline.problem} again={() => timeline.load(target || undefined)} />
      )}
      {state === 'ready' && target !== '' && !isFound && (
        <p class="message refused" role="alert">
          {labels.missing}
        </p>
      )}
      {state === 'loading' && isSlow && (
        <Skeleton label={target === '' ? labels.loading : labels.searching} lines={5} />
      )}
      <ol class="timeline">
        {runs.slice(0, before).map(itemOf)}
        {expiry !== undefined && (later !== -1 || (!hasMore && state === 'ready')) && (
          <Expiry key="expiry" at={expiry} />
        )}
        {runs.slice(before).map(itemOf)}
      </ol>
      {state !== 'loading' && (
        <p class="shown-count">
          {counted(hasMore ? labels.shownMore : labels.shown, entries.length)}
        </p>
      )}
      {hasMore && <Button onPress={more}>{labels.more}</Button>}
    </section>
  )
}

function useTimeline(session: Session, id: string, hash: string): Timeline {
  const held = useRef<{ id: string; timeline: Timeline }>()
  if (held.current?.id !== id) held.current = { id, timeline: new Timeline(session, id) }
  const { timeline } = held.current
  const [, redraw] = useState({})
  useEffect(() => {
    timeline.onUpdate = () => redraw({})
    return timeline.open(hash.slice(1) || undefined)
  }, [timeline])
  useEffect(() => {
    // A link to another entry of the same page.
    if (timeline.state === 'ready') timeline.find(hash.slice(1) || undefined).catch(() => {})
  }, [timeline, hash])
  return timeline
}

function isInSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  return top >= 0 && bottom <= innerHeight
}
