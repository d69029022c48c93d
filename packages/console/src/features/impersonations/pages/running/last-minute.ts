import { useEffect, useRef, useState } from 'preact/hooks'
import { nameOf } from '../../../../web/kit/names.ts'
import { text, words } from '../../../../web/kit/text.tsx'
import { useServerTime } from '../../../../web/session/clock.ts'
import type { Session } from '../../../../web/session/session.ts'
import { clockText } from './countdown.tsx'
import type { Mine } from './mine.ts'

/** The title of the page begins with what is left of the last minute: other tabs show it, too. */
export function useTitle(session: Session, mine: readonly Mine[]): void {
  const now = useServerTime(session)
  const prefix = useRef('')
  const first = mine.find(({ phase }) => phase === 'last minute')?.impersonation
  const wanted = first ? `${clockText(first.expiresAt - now)} ${nameOf(first.customer)} · ` : ''
  // A page sets its title when it is shown: the prefix is looked for each time.
  useEffect(() => {
    const plain = document.title.startsWith(prefix.current)
      ? document.title.slice(prefix.current.length)
      : document.title
    prefix.current = wanted
    if (document.title !== wanted + plain) document.title = wanted + plain
  })
  useEffect(
    () => () => {
      if (document.title.startsWith(prefix.current)) {
        document.title = document.title.slice(prefix.current.length)
      }
    },
    [],
  )
}

/** Said by screen readers: once when the last minute begins, and once when the time is over. */
export function useWarnings(mine: readonly Mine[]): string {
  const phases = useRef<ReadonlyMap<string, Mine['phase']>>(new Map())
  const [announcement, setAnnouncement] = useState('')
  const key = mine.map(({ impersonation: { id }, phase }) => `${id} ${phase}`).join('\n')
  useEffect(() => {
    const before = phases.current
    phases.current = new Map(mine.map(({ impersonation: { id }, phase }) => [id, phase]))
    const changed = mine.filter(
      ({ impersonation: { id }, phase, isEnded }) =>
        phase !== 'long' && !isEnded && before.get(id) !== phase,
    )
    if (changed.length > 0) setAnnouncement(changed.map(warning).join(' '))
    else if (mine.every(({ phase }) => phase === 'long')) setAnnouncement('')
  }, [key])
  return announcement
}

function warning({ phase, impersonation: { customer, ticket } }: Mine): string {
  const { minuteLeft, minuteLeftNoTicket, timeOver, timeOverNoTicket } =
    words.impersonations.running
  const isOver = phase === 'expired'
  const slots = { customer: nameOf(customer) }
  if (ticket === undefined) return text(isOver ? timeOverNoTicket : minuteLeftNoTicket, slots)
  return text(isOver ? timeOver : minuteLeft, { ...slots, ticket })
}
