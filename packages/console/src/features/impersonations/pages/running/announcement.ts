import { useEffect, useRef, useState } from 'preact/hooks'
import type { RunningImpersonation } from '../../../../web/answers.ts'
import { nameOf, operatorName } from '../../../../web/kit/names.ts'
import { counted, text, words } from '../../../../web/kit/text.tsx'
import type { Live } from './live.ts'

/** More changes at once than this are only counted. */
const MAX_CHANGES_ANNOUNCED = 2

/** What a screen reader says of the list: who came and who left, and no seconds. */
export function useAnnouncement({ running }: Live): string {
  const before = useRef<ReadonlyMap<string, RunningImpersonation>>()
  const [announcement, setAnnouncement] = useState('')
  useEffect(() => {
    if (!running) return
    const now = new Map(running.map((it) => [it.id, it]))
    const earlier = before.current
    before.current = now
    if (!earlier) return
    const came = running.filter(({ id }) => !earlier.has(id))
    const left = [...earlier.values()].filter(({ id }) => !now.has(id))
    if (came.length + left.length === 0) return
    const { running: of } = words.impersonations
    const sentence = (own: string, other: string) => (it: RunningImpersonation) =>
      text(it.isMine ? own : other, {
        operator: operatorName(it),
        customer: nameOf(it.customer),
      })
    setAnnouncement(
      [
        ...(came.length > MAX_CHANGES_ANNOUNCED
          ? [counted(of.cameMany, came.length)]
          : came.map(sentence(of.cameMine, of.came))),
        ...(left.length > MAX_CHANGES_ANNOUNCED
          ? [counted(of.wentMany, left.length)]
          : left.map(sentence(of.ended, of.endedOther))),
      ].join(' '),
    )
  }, [running])
  return announcement
}
