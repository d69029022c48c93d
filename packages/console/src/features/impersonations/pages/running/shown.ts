import { useRef, useState } from 'preact/hooks'
import type { RunningImpersonation } from '../../../../web/answers.ts'
import { useServerTime } from '../../../../web/session/clock.ts'
import type { Session } from '../../../../web/session/session.ts'
import type { Gone, Live } from './live.ts'

/** How long one that is over stays in the list, with a word that says so, in milliseconds. */
const LEAVES_AFTER = 8000

export interface ShownRow {
  readonly impersonation: RunningImpersonation
  /** Present where it is over. */
  readonly over?: Pick<Gone, 'end' | 'outcome'>
}

/** The rows of the list, and what tells whether the reader has the pointer or the focus in it. */
export interface Shown {
  readonly rows: readonly ShownRow[]
  readonly holding: {
    readonly onPointerEnter: () => void
    readonly onPointerLeave: () => void
    readonly onFocusIn: () => void
    readonly onFocusOut: () => void
  }
}

/**
 * What runs, and what was over a moment ago. While the reader points at the list or is in it with the
 * keyboard, no row leaves: the button of another row would be under the pointer.
 */
export function useShown(session: Session, { running = [], gone }: Live): Shown {
  const now = useServerTime(session)
  const [isPointed, setPointed] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const before = useRef<ReadonlySet<string>>(new Set())
  const leaving = gone.filter(
    ({ impersonation, at }) =>
      now - at < LEAVES_AFTER || ((isPointed || isFocused) && before.current.has(impersonation.id)),
  )
  before.current = new Set(leaving.map(({ impersonation }) => impersonation.id))
  const rows: ShownRow[] = [
    ...running.map((impersonation) => ({ impersonation })),
    ...leaving.map(({ impersonation, ...over }) => ({ impersonation, over })),
  ]
  rows.sort(
    ({ impersonation: a }, { impersonation: b }) =>
      a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1),
  )
  return {
    rows,
    holding: {
      onPointerEnter: () => setPointed(true),
      onPointerLeave: () => setPointed(false),
      onFocusIn: () => setFocused(true),
      onFocusOut: () => setFocused(false),
    },
  }
}
