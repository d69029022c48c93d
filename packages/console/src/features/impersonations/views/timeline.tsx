import { USED_EVENT } from 'oidc-provider-impersonation-verify/format'
import { Fragment } from 'preact'
import { type At, counted, text } from '../../../web/kit/at.ts'
import { Link } from '../../../web/kit/link.tsx'
import { auditPath, pathWith } from '../../../web/kit/paths.ts'
import { Text } from '../../../web/kit/text.tsx'
import { Time, timeText } from '../../../web/kit/time.tsx'
import type { ImpersonationAnswer, TimelineEntry } from '../server/impersonation.ts'
import { EntryInWords, toneOf } from './entry.tsx'

/** Everything that happened in an impersonation, oldest first; what comes goes to the end. */
export function Timeline({ of: row }: { of: ImpersonationAnswer }, at: At) {
  const { entries, next, outcome } = row
  const { timeline: labels } = at.words.impersonations.audit
  const runs = runsOf(entries)
  const days = runs.map(([{ timeMs }]) => timeText(at, timeMs, 'day'))
  const items = runs.map((run, index) => {
    const day = days[index] ?? ''
    return (
      <Fragment key={run[0].number}>
        {day !== days[index - 1] && (
          <li class="day-line">{text(at, labels.day, { day, zone: at.zone })}</li>
        )}
        <RunItem run={run} row={row} />
      </Fragment>
    )
  })
  // An expiry raises no event.
  const expiry = outcome === 'expired' ? row.expiresAt : undefined
  const before = runs.filter(([{ timeMs }]) => timeMs <= (expiry ?? timeMs)).length
  if (expiry !== undefined && (before < runs.length || next === undefined)) {
    items.splice(
      before,
      0,
      <li key="expired" class="entry plain">
        <Time at={expiry} form="clock" />
        <div class="entry-body">
          <span class="what">{labels.expired}</span>
        </div>
      </li>,
    )
  }
  return (
    <section class="timeline-part" aria-labelledby="timeline">
      <h2 id="timeline">{labels.title}</h2>
      <ol class="timeline">{items}</ol>
      {next !== undefined && (
        <>
          <p class="shown-count">{counted(at, labels.shownMore, entries.length)}</p>
          <p>
            <Link class="button" to={pathWith(auditPath(row.id), { after: next })}>
              {labels.more}
            </Link>
          </p>
        </>
      )}
    </section>
  )
}

/** Entries that follow one another and tell of the same request with the same answer; or one entry. */
type RequestRun = readonly [TimelineEntry, ...TimelineEntry[]]

/** Sums up entries that follow one another. */
function runsOf(entries: readonly TimelineEntry[]): readonly RequestRun[] {
  const runs: [TimelineEntry, ...TimelineEntry[]][] = []
  for (const entry of entries) {
    // Messages to the deployment are not shown; of those to a customer, the outcome is.
    if (entry.event === 'support.telling' || entry.delivery?.to === 'deployment') continue
    const last = runs.at(-1)
    if (last && entry.event === USED_EVENT && requestOf(last[0]) === requestOf(entry)) {
      last.push(entry)
    } else runs.push([entry])
  }
  return runs
}

function requestOf({ event, use }: TimelineEntry): string {
  const { audience, method, path, status, refused } = use ?? {}
  return JSON.stringify([event, audience, method, path, status, refused?.by, refused?.description])
}

/** An entry, or a run of the same request; on demand the whole of each. */
function RunItem({ run, row }: { run: RequestRun; row: ImpersonationAnswer }, at: At) {
  const { timeline: labels } = at.words.impersonations.audit
  const [first] = run
  const last = run.at(-1) ?? first
  const count = run.reduce((sum, { count = 1 }) => sum + count, 0)
  const times = counted(at, labels.times, count)
  return (
    <li class={`entry ${toneOf(first)}`}>
      <Time at={first.timeMs} form="clock" />
      <div class="entry-body">
        <EntryInWords entry={first} row={row} />{' '}
        {count > 1 && (
          <span class="times">
            {first === last ? (
              times
            ) : (
              <Text
                of={labels.run}
                times={times}
                from={<Time at={first.timeMs} form="clock" />}
                to={<Time at={last.timeMs} form="clock" />}
              />
            )}
          </span>
        )}
      </div>
      <details class="on-demand">
        <summary class="button quiet">{labels.details}</summary>
        {run.map((entry) => (
          <Stored key={entry.number} entry={entry} />
        ))}
      </details>
    </li>
  )
}

/** An entry as it is stored, and its place in the audit. */
function Stored({ entry }: { entry: TimelineEntry }, at: At) {
  const { timeline: labels } = at.words.impersonations.audit
  const { number, digest, words: _, ...stored } = entry
  const anchor = `entry-${number}`
  return (
    <section id={anchor} tabIndex={-1} aria-label={labels.json}>
      <p class="chain">
        <a href={`#${anchor}`}>
          <Time at={entry.timeMs} form="clock" />
        </a>{' '}
        <Text of={labels.position} number={String(number)} digest={digest} />
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <pre tabIndex={0}>{JSON.stringify(stored, undefined, 2)}</pre>
    </section>
  )
}
