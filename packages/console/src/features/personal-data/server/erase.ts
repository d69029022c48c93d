import { answerSlot } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  ERASED_EVENT,
  MISLABELLED_EVENT,
  present,
  type StoredRecord,
} from 'oidc-provider-impersonation-verify/format'
import { readable } from '../../../ledger/readable.ts'
import type { AuditStore } from '../../../ledger/store.ts'
import {
  type InForce,
  InForceError,
  type InForceReason,
  permitInForce,
  rowInForce,
} from './in-force.ts'
import { permitsOfCustomer, rowsOfCustomer } from './of-customer.ts'
import { findProved } from './prove-customer.ts'

/** Who answers the request of a customer, and why. */
export interface DataRequest {
  /** The account id of a person of the deployment. */
  readonly by?: string | undefined
  /** At most 65,536 characters. It is kept: write nothing into it that names the customer. */
  readonly note?: string | undefined
}

/** How many were erased by this call. */
export interface ErasedCounts {
  readonly impersonations: number
  readonly permits: number
}

/** An erasure that a second person confirmed. */
export interface ConfirmedErasure {
  /** The id of the request: the entry has it as `context.request`. */
  readonly request: string
  /** What goes last: by it, the request leads to the customer until the end. */
  readonly last: string
}

export interface ErasureParts {
  readonly store: AuditStore
  /** Rejects where the entry is not stored. */
  readonly record: (entry: AuditEntry) => Promise<void>
  /** Whether the provider has a record of the impersonation. */
  readonly isKept: (id: string) => Promise<boolean>
  readonly hasAccount: (customer: string) => Promise<boolean>
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number
}

/** What is to be erased. */
interface Item {
  readonly kind: InForce['kind']
  readonly id: string
  /** Of its last entry, in milliseconds since the epoch. */
  readonly lastAt: number
}

/** How many ids one entry names. */
const IDS_PER_ENTRY = 500
/** How often something is erased again because it changed meanwhile. */
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
  const counts = { impersonations: 0, permits: 0 }
  const isLast = ({ id }: Item) => id === confirmed?.last
  const inOrder = [...items.filter((item) => !isLast(item)), ...items.filter(isLast)]
  let left: readonly Item[] = inForce.length > 0 ? [] : inOrder
  for (let round = 0; left.length > 0; round += 1) {
    if (round === MAX_ROUNDS) throw new Error('others write all the time: call it again')
    const changed: Item[] = []
    for (let at = 0; at < left.length; at += IDS_PER_ENTRY) {
      const some = left.slice(at, at + IDS_PER_ENTRY)
      const until = Math.max(now(), ...some.map(({ lastAt }) => lastAt))
      const entry = erasedEntry(some, { until, timeMs: now() }, request, confirmed?.request)
      await parts.record(entry)
      for (const item of some) {
        const isKept = isLast(item) && changed.length > 0
        const { isRemoved, lastAt, why } = isKept
          ? { ...item, isRemoved: false }
          : await remove(item, until)
        if (isRemoved) counts[`${item.kind}s`] += 1
        else if (why) inForce.push({ kind: item.kind, id: item.id, why })
        else if (lastAt !== undefined) changed.push({ ...item, lastAt })
      }
    }
    left = changed
  }
  // Also what a call before this one removed, and could not overwrite.
  await store.overwriteRemoved()
  if (inForce.length > 0) throw new InForceError(inForce)
  return counts

  /** Not where it has a later entry than was recorded, or came in force: the store asks for the version. */
  async function remove(
    item: Item,
    until: number,
  ): Promise<{ isRemoved: boolean; lastAt?: number; why?: InForceReason | undefined }> {
    const { id } = item
    const sum = (await store.sums([id])).get(id)
    if (!sum) return { isRemoved: false }
    if (sum === 'unreadable') return { isRemoved: false, why: sum }
    const isRow = sum.kind === 'impersonation'
    const lastAt = isRow ? sum.row.lastAt : lastAtOf(sum.permit)
    const why = isRow ? rowInForce(sum.row, now()) : permitInForce(sum.permit, now(), hasAccount)
    if (why || lastAt > until) return { isRemoved: false, lastAt, why }
    const removal = { sums: [{ id, version: sum.version }], alone: [] }
    // Where it changed meanwhile, it is looked at again.
    return (await store.remove(removal)) > 0 ? { isRemoved: true } : remove(item, until)
  }
}

/** What there is to erase of a customer, and of this what may not be erased. */
export async function findOfCustomer(parts: Omit<ErasureParts, 'record'>, customer: string) {
  const { store, now, isKept } = parts
  const hasAccount = await parts.hasAccount(customer)
  const items: Item[] = []
  const inForce: InForce[] = []
  async function add(
    item: Item,
    isProved: boolean,
    whyInForce: InForceReason | undefined,
  ): Promise<void> {
    const { kind, id } = item
    // Another call, or retention, may have removed it meanwhile.
    if (!isProved && !(await (kind === 'permit' ? store.permit(id) : store.row(id)))) return
    const why = isProved ? whyInForce : 'tampered'
    items.push(item)
    if (why) inForce.push({ kind, id, why })
  }
  for await (const rows of rowsOfCustomer(store, customer, now())) {
    const kept = await Promise.all(rows.map(({ id }) => isKept(id)))
    const proved = await findProved(store, idsOf(rows), customer)
    for (const [index, row] of rows.entries()) {
      const why = rowInForce(row, now()) ?? (kept[index] ? 'kept' : undefined)
      const { id, lastAt } = row
      await add({ kind: 'impersonation', id, lastAt }, proved.has(id), why)
    }
  }
  // The past is erased; the answer that holds stays.
  const answer = hasAccount ? await store.slotHolder(answerSlot(customer)) : undefined
  for await (const all of permitsOfCustomer(store, customer)) {
    const permits = all.filter(({ id }) => id !== answer?.id)
    const proved = await findProved(store, idsOf(permits), customer)
    for (const permit of permits) {
      const { id } = permit
      const why = permitInForce(permit, now(), hasAccount)
      await add({ kind: 'permit', id, lastAt: lastAtOf(permit) }, proved.has(id), why)
    }
  }
  return { items, inForce, hasAccount }
}

const lastAtOf = (permit: StoredRecord) => readable(permit)?.lastAt ?? permit.at
const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id)

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
    idsOf(items.filter((item) => item.kind === kind)).toSorted()
  const erased = {
    impersonations: idsOfKind('impersonation'),
    permits: idsOfKind('permit'),
    until,
  }
  const context = request === undefined ? undefined : { request }
  return { event: ERASED_EVENT, timeMs, ...present({ by, note, context }), erased }
}
