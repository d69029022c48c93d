import { BoundedMap, endsWithin } from 'oidc-provider-impersonation/siblings'
import { MAX_COUNTED } from '../../../../kernel/limits.ts'
import { readAll } from '../../../../kernel/pages.ts'
import { sharedRead } from '../../../../kernel/shared-read.ts'
import type { Permit } from '../../../../records/record-at.ts'
import type { Caller } from '../../../../web/parts.ts'
import type { ConsolePermits } from '../options.ts'
import { awaitsSecondPerson, type Decidable, findDeciders, mayDecide } from './shown.ts'

/** Of so many permits it is remembered who can decide. */
const MAX_REMEMBERED = 10_000
/** How long a stream waits for who may decide, in milliseconds: alarms come with the same event. */
const MAX_WAIT_MS = 100

/** Who can decide. */
interface KnownDeciders {
  /** As of when a page of requests was read, by permit. */
  readonly known: BoundedMap<string, Decidable['approvers']>
  /** What the deployment was asked, and has not answered. */
  readonly asking: Map<string, Promise<void>>
}

const knownDeciders = new WeakMap<ConsolePermits, KnownDeciders>()

function decidersOf(permits: ConsolePermits): KnownDeciders {
  const found = knownDeciders.get(permits) ?? {
    known: new BoundedMap(MAX_REMEMBERED),
    asking: new Map(),
  }
  knownDeciders.set(permits, found)
  return found
}

/** Keeps who can decide, as it was just asked. */
export function keepDeciders(permits: ConsolePermits, { permit, approvers }: Decidable): void {
  decidersOf(permits).known.set(permit.id, approvers)
}

/** The deployment is asked once at a time for a permit. Never rejects. */
function askDeciders(permits: ConsolePermits, permit: Permit): Promise<void> {
  const { asking } = decidersOf(permits)
  const before = asking.get(permit.id)
  if (before) return before
  const asked = findDeciders(permits, permit)
    .then((found) => keepDeciders(permits, found))
    .catch(() => {})
    .finally(() => asking.delete(permit.id))
  asking.set(permit.id, asked)
  return asked
}

/** What a second person has to do, as of after the call. All who ask meanwhile share one read. */
function waitingPermits(permits: ConsolePermits): Promise<readonly Permit[]> {
  return sharedRead(permits, async () => {
    const waiting: Permit[] = []
    for (const filter of [{ isReviewDue: true }, { isAwaited: true }] as const) {
      const found = await readAll(
        (before) => permits.listPermits(before === undefined ? filter : { ...filter, before }),
        (page) => page.permits.filter(awaitsSecondPerson),
      )
      waiting.push(...found)
    }
    return waiting
  })
}

/**
 * On how many permits the caller may decide, or has to look afterwards: at most one more than `MAX_COUNTED`.
 * The deployment is asked once for each permit, and not at each change: who reads the page of requests has it
 * asked again.
 *
 * @param onLate called where the deployment takes longer to say who may decide: the count may be another one
 * once it did
 */
export async function countToDecide(
  permits: ConsolePermits,
  caller: Caller,
  onLate: (answered: Promise<unknown>) => void = () => {},
): Promise<number> {
  const { known } = decidersOf(permits)
  const waiting = await waitingPermits(permits)
  const asking = waiting
    .filter(({ id }) => !known.has(id))
    .map((each) => askDeciders(permits, each))
  if (asking.length > 0) {
    const asked = Promise.all(asking)
    if (!(await endsWithin(MAX_WAIT_MS, asked))) onLate(asked)
  }
  const own = waiting.filter(
    (permit) =>
      known.has(permit.id) && mayDecide({ permit, approvers: known.get(permit.id) }, caller),
  )
  return Math.min(own.length, MAX_COUNTED + 1)
}
