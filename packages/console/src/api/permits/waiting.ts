import type { Permits } from '../../permits/options.ts'
import type { Permit } from '../../permits/permit.ts'
import type { Caller } from '../parts.ts'
import { sharedRead } from '../shared-read.ts'
import { awaitsSecondPerson, type Decidable, findDeciders, mayDecide } from './shown.ts'

/** The most permits that are counted. */
const MAX_COUNTED = 100

/** What a second person has to do, as of after the call. All who ask meanwhile share one read. */
function waitingPermits(permits: Permits): Promise<readonly Decidable[]> {
  return sharedRead(permits, async () => {
    const waiting: Permit[] = []
    for (let before: string | undefined; waiting.length < MAX_COUNTED; ) {
      const page = await permits.list({ isOpen: true, ...(before === undefined ? {} : { before }) })
      waiting.push(...page.permits.filter(awaitsSecondPerson))
      before = page.next
      if (before === undefined) break
    }
    const counted = waiting.slice(0, MAX_COUNTED)
    return Promise.all(counted.map((permit) => findDeciders(permits, permit)))
  })
}

/** On how many permits the caller may decide, or has to look afterwards. */
export async function countToDecide(permits: Permits, caller: Caller): Promise<number> {
  return (await waitingPermits(permits)).filter((each) => mayDecide(each, caller)).length
}
