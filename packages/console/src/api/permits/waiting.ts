import { BoundedMap, endsWithin } from 'oidc-provider-impersonation/siblings'
import type { Permits } from '../../permits/options.ts'
import type { Permit } from '../../permits/permit.ts'
import type { Caller } from '../parts.ts'
import { sharedRead } from '../shared-read.ts'
import { awaitsSecondPerson, type Decidable, findDeciders, mayDecide } from './shown.ts'

/** The most permits that are counted. */
const MAX_COUNTED = 100
/** How long a stream waits for who may decide, in milliseconds: alarms come with the same event. */
const MAX_WAIT_MS = 100

/** Who can decide, as of when a page of requests was read. */
const known = new WeakMap<Permits, BoundedMap<string, Decidable['approvers']>>()

function knownOf(permits: Permits): BoundedMap<string, Decidable['approvers']> {
  const found = known.get(permits) ?? new BoundedMap(10 * MAX_COUNTED)
  known.set(permits, found)
  return found
}

/** Keeps who can decide, as it was just asked. */
export function keepDeciders(permits: Permits, { permit, approvers }: Decidable): void {
  knownOf(permits).set(permit.id, approvers)
}

/** What a second person has to do, as of after the call. All who ask meanwhile share one read. */
function waitingPermits(permits: Permits): Promise<readonly Permit[]> {
  return sharedRead(permits, async () => {
    const waiting: Permit[] = []
    for (let before: string | undefined; waiting.length < MAX_COUNTED; ) {
      const page = await permits.list({ isOpen: true, ...(before === undefined ? {} : { before }) })
      waiting.push(...page.permits.filter(awaitsSecondPerson))
      before = page.next
      if (before === undefined) break
    }
    return waiting.slice(0, MAX_COUNTED)
  })
}

/**
 * On how many permits the caller may decide, or has to look afterwards. The deployment is asked once for each
 * permit, and not at each change: who reads the page of requests has it asked again.
 */
export async function countToDecide(permits: Permits, caller: Caller): Promise<number> {
  const deciders = knownOf(permits)
  const waiting = await waitingPermits(permits)
  const asking = waiting
    .filter(({ id }) => !deciders.has(id))
    .map(async (permit) => keepDeciders(permits, await findDeciders(permits, permit)))
  const asked = Promise.allSettled(asking)
  if (asking.length > 0) await endsWithin(MAX_WAIT_MS, asked)
  return waiting.filter(
    (permit) =>
      deciders.has(permit.id) && mayDecide({ permit, approvers: deciders.get(permit.id) }, caller),
  ).length
}
