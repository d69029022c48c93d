import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** What a part of the page says that is wrong. */
interface SaidProblem {
  said: string
  /** Tries it again. */
  again: () => unknown
  readonly redraw: () => void
}

const problems = new Set<SaidProblem>()

function redrawAll(): void {
  for (const { redraw } of problems) redraw()
}

/**
 * What is wrong with several parts of a page is said by the first of them.
 *
 * @param again tries this part again
 * @returns what tries all of them again; `undefined` where another part says it
 */
export function useSameProblems(said: string, again: () => unknown) {
  const [, setState] = useState({})
  const own = useRef<SaidProblem>({ said, again, redraw: () => setState({}) })
  own.current.said = said
  own.current.again = again
  useLayoutEffect(() => {
    const { current } = own
    problems.add(current)
    redrawAll()
    return () => {
      problems.delete(current)
      redrawAll()
    }
  }, [said])
  const same = [...problems].filter((each) => each.said === said)
  if (same[0] !== own.current) return undefined
  return () => Promise.all(same.map((each) => each.again()))
}
