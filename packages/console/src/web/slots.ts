import { busy, type Problem } from './http/problem.ts'

/** Limits how many answers are open at a time, in one process. */
export interface Slots {
  /**
   * @returns a function that frees the slot
   * @throws Problem 503 when no slot is free
   */
  take(accountId: string): () => void
}

/** @param mostEach of one person */
export function slots(most: number, mostEach: number): Slots {
  const taken = new Map<string, number>()
  let open = 0

  return {
    take(accountId) {
      const theirs = taken.get(accountId) ?? 0
      if (open >= most || theirs >= mostEach) throw tooMany()
      open += 1
      taken.set(accountId, theirs + 1)
      let isFree = false
      return () => {
        if (isFree) return
        isFree = true
        open -= 1
        const left = (taken.get(accountId) ?? 1) - 1
        if (left > 0) taken.set(accountId, left)
        else taken.delete(accountId)
      }
    },
  }
}

export function tooMany(): Problem {
  return busy('too many are open: close another tab', 15)
}
