import { Button } from '../../../../web/kit/button.tsx'
import { say } from '../../../../web/kit/message.tsx'
import { counted, text, words } from '../../../../web/kit/text.tsx'
import { inWords } from '../../../../web/session/problem.ts'
import type { AuditList } from './list.ts'

const { audit } = words.impersonations

/**
 * New rows announce themselves here, and wait for a click. The place is always there, so nothing
 * below moves; it stays in sight while the reader scrolls.
 */
export function Newer({ list }: { list: AuditList }) {
  const { count, more } = list.newer
  return (
    <div class="newer" role="status">
      {(count > 0 || more) && (
        <>
          <span>{newerText(count, more)}</span>
          <Button onPress={() => show(list)}>{audit.showNewer}</Button>
        </>
      )}
    </div>
  )
}

function newerText(count: number, more: boolean): string {
  if (!more) return counted(audit.newer, count)
  return count === 0 ? audit.newerPerhaps : text(audit.newerMany, { count })
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
