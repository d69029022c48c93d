import { busy, type Problem } from './http/problem.ts'

/**
 * Limits how many answers are open at a time, in one process.
 *
 * @param mostEach of one person
 * @returns a function that does the work, and rejects with Problem 503 if there are too many
 */
export function slots(most: number, mostEach: number) {
  /** The account id of each. */
  const open: string[] = []
  return async <T>(accountId: string, work: () => Promise<T>): Promise<T> => {
    const theirs = open.filter((each) => each === accountId)
    if (open.length >= most || theirs.length >= mostEach) throw tooMany()
    open.push(accountId)
    try {
      return await work()
    } finally {
      open.splice(open.indexOf(accountId), 1)
    }
  }
}

export function tooMany(): Problem {
  return busy('too many are open: close another tab', 15)
}
