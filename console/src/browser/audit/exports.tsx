import { useEffect, useRef, useState } from 'preact/hooks'
import type { RowFilter } from '../../audit/store.ts'
import { Button } from '../kit/kit.tsx'
import { say } from '../kit/message.tsx'
import { text, words } from '../kit/text.tsx'
import { SLOW_AFTER_MS } from '../kit/use-slow.ts'
import { inWords } from '../session/problem.ts'
import type { Session } from '../session/session.ts'
import { dateOf } from './dates.ts'
import { type ExportKind, exportTo, Incomplete, Unsaved } from './export.ts'
import { parametersOf } from './filter.ts'
import { sizeOf } from './in-words.tsx'

const { export: labels } = words.audit

/** Saves what the filter shows, or everything, as a file. */
export function Exports({ session, filter }: { session: Session; filter: RowFilter }) {
  const [going, setGoing] = useState<{ name: string; bytes: number }>()
  const stop = useRef<AbortController>()
  // Who leaves the page does not want a half file later.
  useEffect(() => () => stop.current?.abort(), [])

  const save = async (kind: ExportKind) => {
    if (stop.current) return
    const mine = new AbortController()
    stop.current = mine
    let bytes = 0
    const begun = Date.now()
    const show = () => setGoing({ name: kind.name, bytes })
    const timer = setTimeout(show, SLOW_AFTER_MS)
    try {
      const all = await exportTo(session, kind, mine.signal, (now) => {
        bytes = now
        if (Date.now() - begun > SLOW_AFTER_MS) show()
      })
      if (all !== undefined) say('done', text(labels.done, { file: kind.name, size: sizeOf(all) }))
    } catch (error) {
      if (mine.signal.aborted) say('done', labels.cancelled)
      else sayBroken(error, bytes, () => save(kind))
    } finally {
      clearTimeout(timer)
      stop.current = undefined
      setGoing(undefined)
    }
  }

  const query = parametersOf(filter)
  const parameters = query.size === 0 ? '' : `?${query}`
  const today = dateOf(Date.now() + session.clockOffset)
  return (
    <details class="exports">
      <summary>{labels.title}</summary>
      <div class="exports-body">
        <p>{labels.about}</p>
        <div class="actions">
          <Button
            label={labels.csvLabel}
            onPress={() =>
              save({
                path: `/audit/export.csv${parameters}`,
                name: `impersonations-${today}.csv`,
                type: 'text/csv',
              })
            }
          >
            {labels.csv}
          </Button>
          <Button
            label={labels.jsonLinesLabel}
            onPress={() =>
              save({
                path: `/audit/export.jsonl${parameters}`,
                name: `impersonations-${today}.jsonl`,
                type: 'application/jsonl',
              })
            }
          >
            {labels.jsonLines}
          </Button>
          <Button
            onPress={() =>
              save({
                path: '/audit/entries.jsonl',
                name: `audit-entries-${today}.jsonl`,
                type: 'application/jsonl',
                hasLastLine: true,
              })
            }
          >
            {labels.all}
          </Button>
        </div>
        <div role="status" class="exporting">
          {going && (
            <>
              <progress aria-label={labels.title} />
              <span>{text(labels.running, { file: going.name, size: sizeOf(going.bytes) })}</span>
              <Button onPress={() => stop.current?.abort()}>{labels.cancel}</Button>
            </>
          )}
        </div>
      </div>
    </details>
  )
}

function sayBroken(error: unknown, bytes: number, again: () => unknown): void {
  const action = { label: words.frame.tryAgain, run: again }
  const problem = error instanceof Incomplete ? labels.incomplete : inWords(error)
  const broken = text(labels.broken, { size: sizeOf(bytes), problem })
  say('trouble', error instanceof Unsaved ? labels.unsaved : broken, action)
}
