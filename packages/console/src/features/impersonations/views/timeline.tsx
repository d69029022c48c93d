import { Fragment } from 'preact'
import type { ImpersonationAnswer, TimelineEntry } from '../../../web/answers.ts'
import { type At, counted, text } from '../../../web/kit/at.ts'
import { Link } from '../../../web/kit/link.tsx'
import { auditPath } from '../../../web/kit/paths.ts'
import { Text } from '../../../web/kit/text.tsx'
import { Time, timeText } from '../../../web/kit/time.tsx'
import { dateOf } from '../../../web/when.ts'
import { EntryInWords, toneOf } from './entry.tsx'
import { countOf, type RequestRun, runsOf } from './runs.ts'

/** Everything that happened in an impersonation, oldest first; what comes goes to the end. */
export function Timeline({ of: row }: { of: ImpersonationAnswer }, at: At) {
  const { entries, next, outcome } = row
  const { timeline: labels } = at.words.impersonations.audit
  const runs = runsOf(entries)
  // An expiry raises no event.
  const expiry = outcome === 'expired' ? row.expiresAt : undefined
  const before = runs.filter(([{ timeMs }]) => timeMs <= (expiry ?? timeMs)).length
  const isExpiryHere = expiry !== undefined && (before < runs.length || next === undefined)
  const dayOf = (run: RequestRun | undefined) => run && dateOf(at.zone, run[0].timeMs)
  const itemOf = (run: RequestRun, index: number) => (
    <Fragment key={run[0].cursor}>
      {dayOf(run) !== dayOf(runs[index - 1]) && (
        <li class="day-line">
          {text(at, labels.day, { day: timeText(at, run[0].timeMs, 'day'), zone: at.zone })}
        </li>
      )}
      <RunItem run={run} row={row} />
    </Fragment>
  )
  const items = runs.map(itemOf)
  return (
    <section class="timeline-part" aria-labelledby="timeline">
      <h2 id="timeline">{labels.title}</h2>
      <ol class="timeline">
        {items.slice(0, before)}
        {isExpiryHere && (
          <li class="entry plain">
            <Time at={expiry} form="clock" />
            <div class="entry-body">
              <span class="what">{labels.expired}</span>
            </div>
          </li>
        )}
        {items.slice(before)}
      </ol>
      {next !== undefined && (
        <>
          <p class="shown-count">{counted(at, labels.shownMore, entries.length)}</p>
          <p>
            <Link
              class="button"
              to={`${auditPath(row.id)}?${new URLSearchParams({ after: next })}`}
            >
              {labels.more}
            </Link>
          </p>
        </>
      )}
    </section>
  )
}

/** An entry; or a run of the same request, which opens. */
function RunItem({ run, row }: { run: RequestRun; row: ImpersonationAnswer }, at: At) {
  const { timeline: labels } = at.words.impersonations.audit
  const [first] = run
  const last = run.at(-1) ?? first
  if (run.length === 1) return <EntryItem entry={first} row={row} />
  return (
    <li class={`entry run ${toneOf(first)}`}>
      <Time at={first.timeMs} form="clock" />
      <details class="entry-body">
        <summary>
          <EntryInWords entry={first} row={row} />{' '}
          <span class="times">
            <Text
              of={labels.run}
              times={counted(at, labels.times, countOf(run))}
              from={<Time at={first.timeMs} form="clock" />}
              to={<Time at={last.timeMs} form="clock" />}
            />
          </span>
        </summary>
        <ol class="timeline">
          {run.map((entry) => (
            <EntryItem key={entry.cursor} entry={entry} row={row} />
          ))}
        </ol>
      </details>
    </li>
  )
}

function EntryItem({ entry, row }: { entry: TimelineEntry; row: ImpersonationAnswer }, at: At) {
  const { timeline: labels } = at.words.impersonations.audit
  const { cursor, timeMs: time, count = 1 } = entry
  const anchor = `entry-${cursor}`
  return (
    <li id={anchor} class={`entry ${toneOf(entry)}`} tabIndex={-1}>
      <a href={`#${anchor}`}>
        <Time at={time} form="clock" />
      </a>
      <div class="entry-body">
        <EntryInWords entry={entry} row={row} />
        {count > 1 && <span class="times">{counted(at, labels.times, count)}</span>}
      </div>
      <details class="on-demand">
        <summary class="button quiet">{labels.details}</summary>
        <EntryDetails entry={entry} />
      </details>
    </li>
  )
}

/** The whole entry, and its place in the audit. */
function EntryDetails({ entry }: { entry: TimelineEntry }, { words }: At) {
  const { timeline: labels } = words.impersonations.audit
  const { cursor, number, digest, words: _, ...stored } = entry
  return (
    <>
      <p class="chain">
        <Text of={labels.position} number={String(number)} digest={digest} />
      </p>
      <section aria-label={labels.json}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
        <pre tabIndex={0}>{JSON.stringify(stored, undefined, 2)}</pre>
      </section>
    </>
  )
}
