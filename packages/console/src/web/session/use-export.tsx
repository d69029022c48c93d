import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { sizeOf } from '../kit/in-words.tsx'
import { type Action, say } from '../kit/message.tsx'
import { text, words } from '../kit/text.tsx'
import { SLOW_AFTER_MS } from '../kit/use-slow.ts'
import { type ExportKind, exportTo, Incomplete, Unsaved } from './export-to.ts'
import { inWords } from './problem.ts'
import type { Session } from './session.ts'

const { export: labels } = words.impersonations.audit

interface Saving {
  /** The file that is being saved, once that is slow, and how much of it there is. */
  readonly going: { readonly name: string; readonly bytes: number } | undefined
  /** One at a time: while one is saved, it does nothing. */
  save(kind: ExportKind): Promise<void>
  cancel(): void
}

/**
 * Saves exports as files, and says how that ended.
 *
 * @param show how it is said: a page says it above itself, and a dialog in itself
 */
export function useExport(
  session: Session,
  show: (tone: 'done' | 'trouble', text: string, action?: Action) => void = sayAbove,
): Saving {
  const [going, setGoing] = useState<Saving['going']>()
  const stop = useRef<AbortController>()
  // Who leaves the page does not want a half file later.
  useEffect(() => () => stop.current?.abort(), [])

  const save = async (kind: ExportKind) => {
    if (stop.current) return
    const mine = new AbortController()
    stop.current = mine
    let bytes = 0
    const begun = Date.now()
    const showGoing = () => setGoing({ name: kind.name, bytes })
    const timer = setTimeout(showGoing, SLOW_AFTER_MS)
    try {
      const all = await exportTo(session, kind, mine.signal, (now) => {
        bytes = now
        if (Date.now() - begun > SLOW_AFTER_MS) showGoing()
      })
      if (all !== undefined) show('done', text(labels.done, { file: kind.name, size: sizeOf(all) }))
    } catch (error) {
      if (mine.signal.aborted) show('done', labels.cancelled)
      else {
        const again = { label: words.web.tryAgain, run: () => save(kind) }
        show('trouble', problemOf(error, bytes), again)
      }
    } finally {
      clearTimeout(timer)
      stop.current = undefined
      setGoing(undefined)
    }
  }
  return { going, save, cancel: () => stop.current?.abort() }
}

/** How far an export is. */
export function Exporting({ going, cancel }: Pick<Saving, 'cancel' | 'going'>) {
  return (
    <div role="status" class="exporting">
      {going && (
        <>
          <progress aria-label={labels.title} />
          <span>{text(labels.running, { file: going.name, size: sizeOf(going.bytes) })}</span>
          <Button onPress={cancel}>{labels.cancel}</Button>
        </>
      )}
    </div>
  )
}

function sayAbove(tone: 'done' | 'trouble', text: string, action?: Action): void {
  say(tone, text, ...(action ? [action] : []))
}

function problemOf(error: unknown, bytes: number): string {
  if (error instanceof Unsaved) return labels.unsaved
  const problem = error instanceof Incomplete ? labels.incomplete : inWords(error)
  return text(labels.broken, { size: sizeOf(bytes), problem })
}
