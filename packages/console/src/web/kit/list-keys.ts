import { useEffect, useRef } from 'preact/hooks'

/** A search, and the rows that it finds. */
export interface SearchedList {
  /** The id of the input. */
  readonly searchId: string
  /** Selects the link of each row, and the button below them. */
  readonly stops: string
  /** Whether Enter in the search leads to the first row, as the arrow key does. */
  readonly hasEnter?: true
  /** Whether the rows are those of this search. */
  readonly isSearched: (search: string) => boolean
}

export function focusSearch(id: string): void {
  const search = searchInput(id)
  search?.focus()
  search?.select()
}

/**
 * The arrow keys lead from the search to the rows that it found, along them, and back. Enter opens the
 * row, since its link has the focus.
 */
export function useListKeys(list: SearchedList): void {
  const latest = useRef(list)
  latest.current = list
  /** Whether the reader went down while the search was not done. */
  const isLeaving = useRef(false)
  const leave = () => {
    const { searchId, isSearched } = latest.current
    const search = searchInput(searchId)
    if (!isLeaving.current || !search || !isSearched(search.value.trim())) return
    isLeaving.current = false
    if (document.activeElement === search) stopsOf(latest.current)[0]?.focus()
  }
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { searchId, hasEnter } = latest.current
      const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event
      if (altKey || ctrlKey || metaKey || shiftKey) return
      if (event.defaultPrevented || event.isComposing) return
      const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0
      if (target === searchInput(searchId)) {
        if (step !== 1 && !(hasEnter && key === 'Enter')) return
        event.preventDefault()
        isLeaving.current = true
        leave()
        return
      }
      const at = stopAt(latest.current, target)
      if (step === 0 || at === -1) return
      event.preventDefault()
      if (at + step < 0) focusSearch(searchId)
      else stopsOf(latest.current)[at + step]?.focus()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  useEffect(leave)
}

function searchInput(id: string): HTMLInputElement | undefined {
  const element = document.getElementById(id)
  return element instanceof HTMLInputElement ? element : undefined
}

function stopsOf({ stops }: SearchedList): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(stops)]
}

/** The row of a link that has the focus: also of the link of its ticket. */
function stopAt(list: SearchedList, target: EventTarget | null): number {
  if (!(target instanceof HTMLElement) || !target.matches('a, button')) return -1
  const row = target.closest('tr')
  return stopsOf(list).findIndex((stop) => stop === target || (row?.contains(stop) ?? false))
}
