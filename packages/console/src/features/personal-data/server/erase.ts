import { answerSlot } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  ERASED_EVENT,
  MISLABELLED_EVENT,
  present,
} from 'oidc-provider-impersonation-verify/format'
import type { AuditStore, Sum } from '../../../ledger/store.ts'
import { type InForce, InForceError, whyInForce } from './in-force.ts'
import { checkedItemsOf, type Item, lastAtOf } from './of-customer.ts'

/** The person who answers the request of a customer, and the reason. */
export interface DataRequest {
  /** The account id of a person of the deployment. */
  readonly by?: string | undefined
  /** At most 65,536 characters. It is kept: write nothing into it that names the customer. */
  readonly note?: string | undefined
}

/** The numbers that this call erased. */
export interface ErasedCounts {
  readonly impersonations: number
  readonly permits: number
}

/** An erasure that a second person confirmed. */
export interface ConfirmedErasure {
  /** The id of the request: the entry has it as `context.request`. */
  readonly request: string
  /** The id of the item that goes last: by it, the request leads to the customer until the end. */
  readonly last: string
  /** Called before anything is erased, if nothing is in force. */
  begin(): Promise<unknown>
}

export interface ErasureParts {
  readonly store: AuditStore
  /** Rejects where the entry is not stored. */
  readonly record: (entry: AuditEntry) => Promise<void>
  /** Resolves with true if the provider has a record of the impersonation. */
  readonly isKept: (id: string) => Promise<boolean>
  readonly hasAccount: (customer: string) => Promise<boolean>
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number
}

/** The number of ids that one entry names. */
const IDS_PER_ENTRY = 500
/** Number of times that something is erased again because it changed meanwhile. */
const MAX_ROUNDS = 20

/**
 * Removes all rows and permits of a customer, with the texts of their entries. First an entry says
 * which: where a process ends between the two, the next call removes the rest.
 *
 * Before it, the entries prove that all of it is the customer's. If not, somebody changed the storage to
 * have evidence about another customer erased.
 *
 * @throws InForceError where something is in force, or is another customer's: then nothing was removed,
 * but where it came in force while others were removed
 * @throws Error with `code: 'ERR_AUDIT_SCHEMA'` where the tables are not as they were created: nothing was removed
 */
export async function eraseCustomer(
  parts: ErasureParts,
  customer: string,
  request: DataRequest,
  confirmed?: ConfirmedErasure,
): Promise<ErasedCounts> {
  const { store, now } = parts
  await store.assertSchema()
  const { items, inForce, hasAccount } = await findOfCustomer(parts, customer)
  await raiseAlarms(parts, inForce, request)
  if (inForce.length === 0) await confirmed?.begin()
  const counts = { impersonations: 0, permits: 0 }
  const isLast = ({ id }: Item) => id === confirmed?.last
  const inOrder = items.toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)))
  let left: readonly Item[] = inForce.length > 0 ? [] : inOrder
  for (let round = 0; left.length > 0; round += 1) {
    if (round === MAX_ROUNDS) throw new Error('others write all the time: call it again')
    const changed: Item[] = []
    for (let at = 0; at < left.length; at += IDS_PER_ENTRY) {
      const some = left.slice(at, at + IDS_PER_ENTRY)
      const until = Math.max(now(), ...some.map(lastAtOf))
      const entry = erasedEntry(some, { until, timeMs: now() }, request, confirmed?.request)
      await parts.record(entry)
      for (const item of some) {
        const isKept = isLast(item) && changed.length > 0
        const rest = isKept ? item : await remove(item, until)
        if (rest) changed.push(rest)
      }
    }
    left = changed
  }
  // Also what a call before this one removed, and could not overwrite.
  await store.overwriteRemoved()
  if (inForce.length > 0) throw new InForceError(inForce)
  return counts

  /** Returns what has a later entry than was recorded. What came in force stays: the store asks for the version. */
  async function remove({ kind, id }: Item, until: number): Promise<Item | undefined> {
    const sum = (await store.sums([id])).get(id)
    if (!sum) return undefined
    const item = sum === 'unreadable' ? undefined : itemOf(id, sum)
    const why = item ? whyInForce(item, now(), hasAccount) : 'unreadable'
    if (why) inForce.push({ kind, id, why })
    if (sum === 'unreadable' || !item || why) return undefined
    if (lastAtOf(item) > until) return item
    const removal = { sums: [{ id, version: sum.version }], alone: [] }
    // If it changed meanwhile, it is looked at again.
    if ((await store.remove(removal)) === 0) return remove(item, until)
    counts[`${kind}s`] += 1
    return undefined
  }
}

/** Finds all of a customer, the items that an erasure removes, and those of them that may not be erased now. */
export async function findOfCustomer(parts: Omit<ErasureParts, 'record'>, customer: string) {
  const { store, now, isKept } = parts
  const hasAccount = await parts.hasAccount(customer)
  const all: Item[] = []
  const items: Item[] = []
  const inForce: InForce[] = []
  for await (const found of checkedItemsOf(store, customer, now())) {
    all.push(...found)
    // The past is erased; the answer that holds stays.
    const answer = hasAccount ? await store.slotHolder(answerSlot(customer)) : undefined
    const kept = await Promise.all(
      found.map(({ kind, id }) => kind === 'impersonation' && isKept(id)),
    )
    for (const [index, item] of found.entries()) {
      const { kind, id, isProved } = item
      if (id === answer?.id) continue
      items.push(item)
      const holding = whyInForce(item, now(), hasAccount) ?? (kept[index] ? 'kept' : undefined)
      const why = isProved ? holding : 'tampered'
      if (why) inForce.push({ kind, id, why })
    }
  }
  return { all, items, inForce, hasAccount }
}

function itemOf(id: string, sum: Sum): Item {
  return sum.kind === 'impersonation'
    ? { id, kind: 'impersonation', row: sum.row }
    : { id, kind: 'permit', permit: sum.permit }
}

/** The alarm of a permit has a row of its own. */
export async function raiseAlarms(
  { record, now }: Pick<ErasureParts, 'now' | 'record'>,
  found: readonly InForce[],
  { by, note }: DataRequest,
): Promise<void> {
  for (const { kind, id, why } of found) {
    if (why !== 'tampered') continue
    const about = kind === 'permit' ? { permit: id } : { id }
    await record({ event: MISLABELLED_EVENT, timeMs: now(), ...about, ...present({ by, note }) })
  }
}

function erasedEntry(
  items: readonly Item[],
  { until, timeMs }: { readonly until: number; readonly timeMs: number },
  { by, note }: DataRequest,
  request: string | undefined,
): AuditEntry {
  const idsOfKind = (kind: Item['kind']) =>
    items.flatMap((item) => (item.kind === kind ? item.id : [])).toSorted()
  const erased = {
    impersonations: idsOfKind('impersonation'),
    permits: idsOfKind('permit'),
    until,
  }
  const context = request === undefined ? undefined : { request }
  return { event: ERASED_EVENT, timeMs, ...present({ by, note, context }), erased }
}
