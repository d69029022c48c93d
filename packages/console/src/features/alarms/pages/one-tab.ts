import { HOME_PATH } from '../../../web/kit/router.tsx'

/** Names that this tab has taken. The oldest are given back. */
const taken: (() => void)[] = []
const MAX_TAKEN = 50

/**
 * Whether this tab is the first of this browser that takes a name. It keeps it while it is open: two
 * tabs do not tell the same news.
 */
export function isFirstTab(name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(`${HOME_PATH} ${name}`, { ifAvailable: true }, (lock) => {
        resolve(lock !== null)
        if (!lock) return undefined
        return new Promise<void>((release) => {
          taken.push(release)
          if (taken.length > MAX_TAKEN) taken.shift()?.()
        })
      })
      .catch(reject)
  })
}
