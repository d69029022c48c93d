import { go, HOME } from '../router.tsx'

/** Marks the place that was just gone to: the place before it is the list that the reader left. */
export function markAsOpened(): void {
  history.replaceState({ ...Object(history.state), isOpened: true }, '')
}

function isOpened(): boolean {
  const state: unknown = history.state
  return state instanceof Object && 'isOpened' in state && state.isOpened === true
}

/** Goes back to the list as it was left; without one, to a new list. */
export function Back({ to, children }: { to: string; children: string }) {
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    if (isOpened()) history.back()
    else go(to)
  }
  return (
    <a href={HOME + to} class="back" onClick={follow}>
      {children}
    </a>
  )
}
