import { Problem } from '../http/problem.ts'

/** So many streams may be open in one process. */
const MOST = 100
/** And so many of one operator: a tab takes one, and nobody takes all. */
const MOST_EACH = 6

/** How many may follow at once. */
export interface Places {
  /**
   * @returns what gives the place back
   * @throws Problem 503 where there is none.
   */
  take(operatorId: string): () => void
}

export function places(most = MOST, mostEach = MOST_EACH): Places {
  const taken = new Map<string, number>()
  let open = 0

  return {
    take(operatorId) {
      const theirs = taken.get(operatorId) ?? 0
      if (open >= most || theirs >= mostEach) throw tooMany()
      open += 1
      taken.set(operatorId, theirs + 1)
      return () => {
        open -= 1
        const left = (taken.get(operatorId) ?? 1) - 1
        if (left > 0) taken.set(operatorId, left)
        else taken.delete(operatorId)
      }
    },
  }
}

export function tooMany(): Problem {
  return new Problem(503, 'temporarily_unavailable', 'there are too many streams', {
    retryAfter: '15',
  })
}
