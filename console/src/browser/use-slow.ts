import { useEffect, useState } from 'preact/hooks'

/** What takes longer is shown to go on. In milliseconds. */
export const SLOW = 300

/** Whether something has been going on for longer than {@link SLOW}. */
export function useSlow(isBusy: boolean): boolean {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    setSlow(false)
    if (!isBusy) return
    const timer = setTimeout(() => setSlow(true), SLOW)
    return () => clearTimeout(timer)
  }, [isBusy])
  return isBusy && isSlow
}
