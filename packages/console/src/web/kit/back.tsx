import type { ComponentChildren } from 'preact'
import { go, HOME_PATH, keepWithLocation, stateOfLocation } from './router.tsx'

// A page that was opened from a list knows it, by the state of its place in the history: the way back
// is then the way of the browser, and the list is as it was left.

/** A link from a list to one of its items. */
export function Opens({ to, children }: { to: string; children: ComponentChildren }) {
  const open = () => {
    go(to)
    keepWithLocation({ isOpened: true })
  }
  return (
    <a href={HOME_PATH + to} onClick={(event) => followLink(event, open)}>
      {children}
    </a>
  )
}

/** The link of an entry of the page. It goes there in place of the page: the way back stays short. */
export function Anchor({ to, children }: { to: string; children: ComponentChildren }) {
  return (
    <a
      href={HOME_PATH + to}
      onClick={(event) => followLink(event, () => go(to, { instead: true }))}
    >
      {children}
    </a>
  )
}

/** Goes back to the list as it was left; without one, to a new list. */
export function Back({ to, children }: { to: string; children: string }) {
  const back = () => (stateOfLocation('isOpened') === true ? history.back() : go(to))
  return (
    <a href={HOME_PATH + to} class="back" onClick={(event) => followLink(event, back)}>
      {children}
    </a>
  )
}

/** Other clicks open a tab or a window: they are left to the browser. */
function followLink(event: MouseEvent, run: () => void): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
  event.preventDefault()
  run()
}
