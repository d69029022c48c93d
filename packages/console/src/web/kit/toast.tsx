import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Button } from './button.tsx'
import type { Tone } from './message.tsx'
import { words } from './text.tsx'

/** How long it stays while the page is seen, in milliseconds. */
const SHOWN_MS = 60_000

/** What a toast tells. */
export interface ToastNews {
  /** Another one begins its time anew. */
  readonly key: string
  readonly tone: Tone
  readonly children: ComponentChildren
}

/**
 * Tells of something new on any page, and takes no focus. It goes when a link or a button in it was used, and
 * after a minute: what it tells stands on a page, too. Of several, the first one in the frame is shown.
 */
export function Toast({ of, onGone }: { of: ToastNews | undefined; onGone: () => void }) {
  const key = of?.key
  useEffect(() => {
    if (key === undefined) return
    let timer: ReturnType<typeof setTimeout>
    const begin = () => {
      clearTimeout(timer)
      if (!document.hidden) timer = setTimeout(onGone, SHOWN_MS)
    }
    begin()
    document.addEventListener('visibilitychange', begin)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', begin)
    }
  }, [key])
  return (
    <div class="toast" role="status">
      {of && (
        <div class={`message ${of.tone}`}>
          {of.children}
          <Button kind="quiet" onPress={onGone}>
            {words.web.dismiss}
          </Button>
        </div>
      )}
    </div>
  )
}
