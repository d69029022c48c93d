import { Problem } from '../http/problem.ts'

/** The largest number of open streams in one process. */
const MAX_STREAMS = 100
/** The largest number of streams of one operator. A tab takes one. */
const MAX_STREAMS_EACH = 6

/** Limits the number of open streams. */
export interface Places {
  /**
   * @returns a function that frees the place
   * @throws Problem 503 when no place is free.
   */
  take(operatorId: string): () => void
}

export function places(most = MAX_STREAMS, mostEach = MAX_STREAMS_EACH): Places {
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
