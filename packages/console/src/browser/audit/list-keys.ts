import { useEffect, useRef } from 'preact/hooks'
import type { AuditList } from './list.ts'

/** The search of the audit: see `TextFilter`. */
const SEARCH_ID = 'filter-text'
/** The link of each row, and the button below them. */
const STOPS_SELECTOR = '.list tbody th a, .list > button'

export function focusSearch(): void {
  const search = searchInput()
  search?.focus()
  search?.select()
}

/**
 * The arrow keys lead from the search to the rows that it found, along them, and back. Enter opens the
 * row, since its link has the focus.
 */
export function useListKeys(list: AuditList): void {
  /** The list from which the reader went down while its search was not done. */
  const leaving = useRef<AuditList>()
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { key, altKey, ctrlKey, metaKey, shiftKey } = event
      const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0
      if (step === 0 || altKey || ctrlKey || metaKey || shiftKey) return
      if (event.defaultPrevented || event.isComposing) return
      if (event.target === searchInput()) {
        if (step === -1) return
        event.preventDefault()
        if (isSearched(list)) focusStop(0)
        else leaving.current = list
        return
      }
      const at = stopAt(event.target)
      if (at === -1) return
      event.preventDefault()
      if (at + step < 0) focusSearch()
      else focusStop(at + step)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [list])
  useEffect(() => {
    if (!leaving.current || !isSearched(list)) return
    leaving.current = undefined
    if (document.activeElement === searchInput()) focusStop(0)
  })
}

/** Whether the list shows what the search says now. */
function isSearched({ state, text }: AuditList): boolean {
  return state === 'ready' && (text ?? '') === searchInput()?.value.trim()
}

function searchInput(): HTMLInputElement | undefined {
  const element = document.getElementById(SEARCH_ID)
  return element instanceof HTMLInputElement ? element : undefined
}

function stops(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(STOPS_SELECTOR)]
}

/** The row of a link that has the focus: also of the link of its ticket. */
function stopAt(target: EventTarget | null): number {
  if (!(target instanceof HTMLElement) || !target.matches('a, button')) return -1
  const row = target.closest('tr')
  return stops().findIndex((stop) => stop === target || (row?.contains(stop) ?? false))
}

function focusStop(at: number): void {
  stops()[at]?.focus()
}
