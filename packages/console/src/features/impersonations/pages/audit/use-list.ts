import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RowFilter } from '../../../../ledger/filters.ts'
import {
  keepWithLocation,
  type PageLocation,
  stateOfLocation,
} from '../../../../web/kit/router.tsx'
import type { Session } from '../../../../web/session/session.ts'
import { onePerSession } from '../../../../web/session/watch.ts'
import { addressOf, filterOf, ownPartOf } from './filter.ts'
import { AuditList } from './list.ts'

/**
 * Lists that the reader can come back to. Each place of the history has its own. They belong to the
 * session: another person who signs in here must not see them.
 */
const keptIn = onePerSession(() => new Map<string, AuditList>())
const MAX_LISTS_KEPT = 20

/**
 * The list of a place. Who comes back to the place, by *back* or *forward*, finds the list as it was:
 * its pages, the scroll place and the focus.
 */
export function useList(session: Session, page: PageLocation): AuditList {
  const list = useListOf(session, page)
  const [, redraw] = useState({})
  useEffect(() => {
    list.onUpdate = () => redraw({})
    const close = list.open()
    redraw({})
    return close
  }, [list])
  useLayoutEffect(() => {
    const note = () => {
      list.scroll = scrollY
    }
    const noteFocus = ({ target }: FocusEvent) => {
      list.focus = target instanceof Element ? target.closest('tr')?.id : undefined
    }
    addEventListener('scroll', note, { passive: true })
    addEventListener('focusin', noteFocus)
    return () => {
      removeEventListener('scroll', note)
      removeEventListener('focusin', noteFocus)
    }
  }, [list])
  return list
}

function useListOf(session: Session, page: PageLocation): AuditList {
  const held = useRef<{ page: PageLocation; list: AuditList }>()
  if (held.current?.page === page) return held.current.list
  const key = keyOfLocation()
  const kept = keptIn(session)
  const filter = visibleFilterOf(session, page)
  const old = kept.get(key)
  // While a filter is typed, its place is replaced and keeps its key.
  const list = old?.address === addressOf(filter) ? old : new AuditList(session, filter)
  // The last used stands last.
  kept.delete(key)
  kept.set(key, list)
  const [oldest] = kept.keys()
  if (kept.size > MAX_LISTS_KEPT && oldest !== undefined) kept.delete(oldest)
  held.current = { page: page, list }
  return list
}

/** The filter of the address, as far as the role of the person has it. */
export function visibleFilterOf({ me }: Session, { query }: PageLocation): RowFilter {
  const filter = filterOf(query)
  return me.role === 'operator' ? ownPartOf(filter) : filter
}

/** A new place has no key yet. */
function keyOfLocation(): string {
  const key = stateOfLocation('auditList')
  if (typeof key === 'string') return key
  const fresh = crypto.randomUUID()
  keepWithLocation({ auditList: fresh })
  return fresh
}
