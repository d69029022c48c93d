import type { EndFigures } from './ends.ts'

/** An API without the provider refuses impersonated tokens at the latest after so many seconds. */
const MAX_OUTAGE_S = 35

export function printEnds({ storage, copies, ends, outage, ...figures }: EndFigures): void {
  const processes = copies === 1 ? 'one process' : `${copies} processes`
  const seconds = (value: number) => `${value.toFixed(2)} s`
  console.log(`${storage}, the provider in ${processes}`)
  console.log(
    `  from an end to the first refusal, ${ends} ends: median ${seconds(figures.median)}, ` +
      `p95 ${seconds(figures.p95)}, maximum ${seconds(figures.max)}`,
  )
  console.log(
    `  accepted 8 s after the end: ${figures.stillAccepted}; ` +
      `accepted once more after a refusal: ${figures.acceptedAgain}`,
  )
  if (!outage) return
  const answers = Object.entries(outage.answers).map(([status, count]) => `${count} with ${status}`)
  console.log(
    `  provider crashed: the token that had just ended refused after ` +
      `${seconds(outage.endedRefusedAfter)}, all ${outage.tokens} impersonated tokens after ` +
      `${seconds(outage.allRefusedAfter)} (${answers.join(', ')}), ${outage.acceptedAgain} accepted later`,
  )
  const { used, refused } = outage.ordinary
  console.log(`  meanwhile an ordinary token was used ${used} times, and refused ${refused} times`)
}

/** Whether what docs/ending.md promises was kept. */
export function isWithinPromise({ stillAccepted, acceptedAgain, outage }: EndFigures): boolean {
  if (stillAccepted > 0 || acceptedAgain > 0) return false
  if (!outage) return true
  const { allRefusedAfter, ordinary } = outage
  return allRefusedAfter <= MAX_OUTAGE_S && outage.acceptedAgain === 0 && ordinary.refused === 0
}
