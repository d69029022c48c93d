import { Button } from '../kit/kit.tsx'
import { say } from '../kit/message.tsx'
import { counted, text, words } from '../kit/text.tsx'
import { inWords } from '../session/problem.ts'
import type { AuditList } from './list.ts'

/** The API counts no further. */
const MAX_COUNTED = 100
const { audit } = words.impersonations

/**
 * New rows announce themselves here, and wait for a click. The place is always there, so nothing
 * below moves; it stays in sight while the reader scrolls.
 */
export function Newer({ list }: { list: AuditList }) {
  const { newer } = list
  return (
    <div class="newer" role="status">
      {newer > 0 && (
        <>
          <span>
            {newer < MAX_COUNTED
              ? counted(audit.newer, newer)
              : text(audit.newerMany, { count: MAX_COUNTED - 1 })}
          </span>
          <Button onPress={() => show(list)}>{audit.showNewer}</Button>
        </>
      )}
    </div>
  )
}

async function show(list: AuditList): Promise<void> {
  try {
    const count = await list.showNewer()
    scrollTo(0, 0)
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.list tbody a')?.focus())
    say('done', counted(audit.newerShown, count))
  } catch (error) {
    say('trouble', inWords(error), { label: words.web.tryAgain, run: () => show(list) })
  }
}
