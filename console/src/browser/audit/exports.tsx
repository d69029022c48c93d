import { useEffect, useRef, useState } from 'preact/hooks'
import type { RowFilter } from '../../audit/store.ts'
import { Button } from '../kit.tsx'
import { say } from '../message.tsx'
import { inWords } from '../problem.ts'
import type { Session } from '../session.ts'
import { text, words } from '../text.tsx'
import { SLOW } from '../use-slow.ts'
import { dateOf } from './dates.ts'
import { type ExportKind, exportTo, Incomplete, Unsaved } from './export.ts'
import { parametersOf } from './filter.ts'
import { sizeOf } from './in-words.tsx'

const { export: said } = words.audit

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
    const timer = setTimeout(show, SLOW)
    try {
      const all = await exportTo(session, kind, mine.signal, (now) => {
        bytes = now
        if (Date.now() - begun > SLOW) show()
      })
      if (all !== undefined) say('done', text(said.done, { file: kind.name, size: sizeOf(all) }))
    } catch (error) {
      if (mine.signal.aborted) say('done', said.cancelled)
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
      <summary>{said.title}</summary>
      <div class="exports-body">
        <p>{said.about}</p>
        <div class="actions">
          <Button
            label={said.csvLabel}
            onPress={() =>
              save({
                path: `/audit/export.csv${parameters}`,
                name: `impersonations-${today}.csv`,
                type: 'text/csv',
              })
            }
          >
            {said.csv}
          </Button>
          <Button
            label={said.jsonLinesLabel}
            onPress={() =>
              save({
                path: `/audit/export.jsonl${parameters}`,
                name: `impersonations-${today}.jsonl`,
                type: 'application/jsonl',
              })
            }
          >
            {said.jsonLines}
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
            {said.all}
          </Button>
        </div>
        <div role="status" class="exporting">
          {going && (
            <>
              <progress aria-label={said.title} />
              <span>{text(said.running, { file: going.name, size: sizeOf(going.bytes) })}</span>
              <Button onPress={() => stop.current?.abort()}>{said.cancel}</Button>
            </>
          )}
        </div>
      </div>
    </details>
  )
}

function sayBroken(error: unknown, bytes: number, again: () => unknown): void {
  const action = { label: words.frame.tryAgain, run: again }
  const problem = error instanceof Incomplete ? said.incomplete : inWords(error)
  const broken = text(said.broken, { size: sizeOf(bytes), problem })
  say('trouble', error instanceof Unsaved ? said.unsaved : broken, action)
}
