import { useState } from 'preact/hooks'
import type { RowAnswer, TimelineEntry } from '../../../../web/answers.ts'
import { Anchor } from '../../../../web/kit/back.tsx'
import { auditPath } from '../../../../web/kit/paths.ts'
import { counted, locale, Text, text, words } from '../../../../web/kit/text.tsx'
import { Time } from '../../../../web/kit/time.tsx'
import { EntryInWords, RequestLine, toneOf } from './entry.tsx'
import { countOf, type RequestRun } from './runs.ts'

const { timeline: labels } = words.impersonations.audit

/** The id of the element of an entry. It has a prefix, so no cursor is the id of something else. */
export function anchorOf(cursor: string): string {
  return `entry-${cursor}`
}

interface Context {
  readonly row: RowAnswer
  /** The cursor of the entry that the address names. */
  readonly target: string
}

/** An entry; or what is summed up, which opens: a run of the same request, or an attempt to tell the customer. */
export function RunItem({ run, row, target }: Context & { run: RequestRun }) {
  const [first] = run
  const last = run.at(-1) ?? first
  if (run.length === 1) return <EntryItem entry={first} row={row} target={target} />
  const isNotice = first.event === 'support.notifying'
  const head = isNotice ? last : first
  return (
    <li class={`entry run ${toneOf(head)}`}>
      <Time at={head.timeMs} form="clock" />
      <details class="entry-body" open={run.some(({ cursor }) => cursor === target)}>
        <summary>
          <EntryInWords entry={head} row={row} />{' '}
          {!isNotice && (
            <span class="times">
              <Text
                of={labels.run}
                times={counted(labels.times, countOf(run))}
                from={<Time at={first.timeMs} form="clock" />}
                to={<Time at={last.lastTime ?? last.timeMs} form="clock" />}
              />
            </span>
          )}
        </summary>
        <ol class="timeline">
          {run.map((entry) => (
            <EntryItem key={entry.cursor} entry={entry} row={row} target={target} />
          ))}
        </ol>
      </details>
    </li>
  )
}

function EntryItem({ entry, row, target }: Context & { entry: TimelineEntry }) {
  const { cursor, timeMs: time, count = 1, lastTime = time } = entry
  const [isOpen, setOpen] = useState(false)
  const isTarget = cursor === target
  return (
    <li
      id={anchorOf(cursor)}
      class={`entry ${toneOf(entry)}${isTarget ? ' target' : ''}`}
      tabIndex={-1}
      aria-current={isTarget ? 'location' : undefined}
    >
      <Anchor to={`${auditPath(row.id)}#${cursor}`}>
        <Time at={time} form="clock" />
      </Anchor>
      <div class="entry-body">
        <EntryInWords entry={entry} row={row} />
        {count > 1 && (
          <span class="times">
            <Text
              of={labels.timesUntil}
              times={counted(labels.times, count)}
              time={<Time at={lastTime} form="clock" />}
            />
          </span>
        )}
      </div>
      <button
        type="button"
        class="button quiet details"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {labels.details}
      </button>
      {isOpen && <EntryDetails entry={entry} />}
    </li>
  )
}

/** The whole entry, and its place in the chain. */
function EntryDetails({ entry }: { entry: TimelineEntry }) {
  const { cursor, writer, sequence, hash, count, lastTime, byName, ...stored } = entry
  const { words: inWords, ...recorded } = stored
  return (
    <div class="on-demand">
      {inWords !== undefined && (
        <p>
          <RequestLine use={entry.use} />
        </p>
      )}
      <p class="chain">
        <Text of={labels.position} sequence={String(sequence)} writer={writer} hash={hash} />
      </p>
      <section aria-label={labels.json}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
        <pre tabIndex={0}>{JSON.stringify(recorded, undefined, 2)}</pre>
      </section>
    </div>
  )
}

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'full' })
const TIME_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** The day of what stands below. */
export function DayItem({ at }: { at: number }) {
  return <li class="day-line">{text(labels.day, { day: day.format(at), zone: TIME_ZONE })}</li>
}

/** The end that came by itself. No entry tells of it. */
export function Expiry({ at }: { at: number }) {
  return (
    <li class="entry plain">
      <Time at={at} form="clock" />
      <div class="entry-body">
        <span class="what">{labels.expired}</span>
      </div>
    </li>
  )
}
