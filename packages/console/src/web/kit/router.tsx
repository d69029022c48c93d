import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { clearMessage } from './message.tsx'

/** The path of the console, such as `/console`: the server says it. */
export const HOME_PATH = document.body.dataset.path ?? '/console'

export interface PageLocation {
  /** Below {@link HOME_PATH}: `/audit`. */
  readonly path: string
  readonly query: URLSearchParams
  readonly hash: string
}

export function here(): PageLocation {
  const { pathname, search, hash } = location
  return { path: pathname.slice(HOME_PATH.length) || '/', query: new URLSearchParams(search), hash }
}

const CHANGED_EVENT = 'place changed'

/** The address of a page: that of the first one has no slash at its end. */
function hrefOf(to: string): string {
  return HOME_PATH + (/^\/(?:$|[?#])/.test(to) ? to.slice(1) : to)
}

/** Goes to a page below {@link HOME_PATH}. `instead`: the page before is not in the history. */
export function go(to: string, { instead = false } = {}): void {
  if (instead) history.replaceState(history.state, '', hrefOf(to))
  else history.pushState({ steps: steps() + 1 }, '', hrefOf(to))
  dispatchEvent(new Event(CHANGED_EVENT))
}

/** A member of the state that this place has in the history. Pages keep members of their own there. */
export function stateOfLocation(name: string): unknown {
  const state: unknown = history.state
  return state instanceof Object ? Reflect.get(state, name) : undefined
}

/** Keeps something with this place in the history. */
export function keepWithLocation(members: Readonly<Record<string, boolean | string>>): void {
  history.replaceState({ ...Object(history.state), ...members }, '')
}

/** How many pages of ours lie before this one in the history. */
function steps(): number {
  const steps = stateOfLocation('steps')
  return typeof steps === 'number' ? steps : 0
}

/** To the page before; where the person came from elsewhere, to the one that this one lies below. */
export function goBack(): void {
  clearMessage()
  const { path } = here()
  if (steps() > 0) history.back()
  else if (path !== '/') go(path.slice(0, path.lastIndexOf('/')) || '/', { instead: true })
}

export function usePageLocation(): PageLocation {
  const [page, setPage] = useState(here)
  // Before anything is painted: a press that comes at once is not lost.
  useLayoutEffect(() => {
    const update = () => setPage(here())
    addEventListener('popstate', update)
    addEventListener(CHANGED_EVENT, update)
    return () => {
      removeEventListener('popstate', update)
      removeEventListener(CHANGED_EVENT, update)
    }
  }, [])
  return page
}

/** A link to a page below {@link HOME_PATH}. */
export function Link({
  to,
  class: name,
  current,
  label,
  onFollow,
  children,
}: {
  to: string
  class?: string
  current?: boolean
  /** For screen readers, where the text does not say what it leads to. It begins with the text. */
  label?: string
  /** Called before it is followed here. */
  onFollow?: () => void
  children: ComponentChildren
}) {
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    clearMessage()
    onFollow?.()
    go(to)
  }
  return (
    <a
      href={hrefOf(to)}
      class={name}
      onClick={follow}
      aria-label={label}
      aria-current={current ? 'page' : undefined}
    >
      {children}
    </a>
  )
}
