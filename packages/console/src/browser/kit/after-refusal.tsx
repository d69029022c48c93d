import { Badge } from './kit.tsx'
import { text, words } from './text.tsx'

const { alarms } = words

/**
 * An operator acts without an approval, after somebody refused it: red wherever it is shown, also once a
 * lead has acknowledged the alarm.
 */
export function AfterRefusal({ isSeen = false }: { isSeen?: boolean }) {
  const name = alarms.short.after_refusal
  return <Badge tone="alarm">{isSeen ? text(alarms.seen, { alarm: name }) : name}</Badge>
}
