import { useState } from 'preact/hooks'
import type { RowAnswer, TimelineEntry } from '../../api/console/answers.ts'
import { Button } from '../kit/kit.tsx'
import { auditPath } from '../kit/paths.ts'
import { counted, locale, Text, text, words } from '../kit/text.tsx'
import { Anchor } from './back.tsx'
import { copyLink } from './copy-link.ts'
import { EntryInWords, Request, toneOf } from './entry.tsx'
import { utcOf } from './in-words.tsx'
import { countOf, type Run } from './runs.ts'

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
export function RunItem({ run, row, target }: Context & { run: Run }) {
  const [first] = run
  const last = run.at(-1) ?? first
  if (run.length === 1) return <EntryItem entry={first} row={row} target={target} />
  const isNotice = first.event === 'support.notifying'
  const head = isNotice ? last : first
  return (
    <li class={`entry run ${toneOf(head)}`}>
      <Clock at={head.time} />
      <details class="entry-body" open={run.some(({ cursor }) => cursor === target)}>
        <summary>
          <EntryInWords entry={head} row={row} />{' '}
          {!isNotice && (
            <span class="times">
              <Text
                of={labels.run}
                times={counted(labels.times, countOf(run))}
                from={<Clock at={first.time} />}
                to={<Clock at={last.lastTime ?? last.time} />}
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
  const { cursor, time, count = 1, lastTime = time } = entry
  const [isOpen, setOpen] = useState(false)
  const isTarget = cursor === target
  const path = `${auditPath(row.id)}#${cursor}`
  return (
    <li
      id={anchorOf(cursor)}
      class={`entry ${toneOf(entry)}${isTarget ? ' target' : ''}`}
      tabIndex={-1}
      aria-current={isTarget ? 'location' : undefined}
    >
      <Anchor to={path}>
        <Clock at={time} />
      </Anchor>
      <div class="entry-body">
        <EntryInWords entry={entry} row={row} />
        {count > 1 && (
          <span class="times">
            <Text
              of={labels.timesUntil}
              times={counted(labels.times, count)}
              time={<Clock at={lastTime} />}
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
      {isOpen && <Details entry={entry} path={path} />}
    </li>
  )
}

/** The whole entry, and its place in the chain. */
function Details({ entry, path }: { entry: TimelineEntry; path: string }) {
  const { cursor, writer, sequence, hash, count, lastTime, byName, ...stored } = entry
  const { words: inWords, ...recorded } = stored
  return (
    <div class="on-demand">
      {inWords !== undefined && (
        <p>
          <Request use={entry.use} />
        </p>
      )}
      <p class="chain">
        <Text of={labels.position} sequence={String(sequence)} writer={writer} hash={hash} />
      </p>
      <section aria-label={labels.json}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
        <pre tabIndex={0}>{JSON.stringify(recorded, undefined, 2)}</pre>
      </section>
      <Button onPress={() => copyLink(path)}>
        {words.impersonations.audit.impersonation.copyEntryLink}
      </Button>
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
      <Clock at={at} />
      <div class="entry-body">
        <span class="what">{labels.expired}</span>
      </div>
    </li>
  )
}

const today = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' })

/** A time to the second, with the date and the zone for screen readers; UTC on hover. */
function Clock({ at }: { at: number }) {
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={text('{local} = {utc}', {
        local: clock.format(at),
        utc: utcOf(at),
      })}
    >
      {today.format(at)}
    </time>
  )
}
