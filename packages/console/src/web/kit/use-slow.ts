import { useEffect, useState } from 'preact/hooks'

/** What takes longer is shown to go on. In milliseconds. */
export const SLOW_AFTER_MS = 300

/** Whether something has been going on for longer than {@link SLOW_AFTER_MS}. */
export function useSlow(isBusy: boolean): boolean {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    setSlow(false)
    if (!isBusy) return
    const timer = setTimeout(() => setSlow(true), SLOW_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isBusy])
  return isBusy && isSlow
}
