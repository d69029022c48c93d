import { erasedOf, isTextOf, storable } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  DAY_MS,
  decodeEntry,
  ERASED_EVENT,
  ERASING_EVENT,
  nonEmptyText,
  present,
} from 'oidc-provider-impersonation-verify/format'
import { newId } from '../../../kernel/ids.ts'
import { takingTurns } from '../../../kernel/turns.ts'
import type { Audit } from '../../../ledger/recording/audit.ts'
import { newEntryId } from '../../../ledger/recording/compose.ts'
import { notFound, Problem } from '../../../web/http/problem.ts'
import {
  type ErasedCounts,
  type ErasureParts,
  eraseCustomer,
  findOfCustomer,
  raiseAlarms,
} from './erase.ts'
import { InForceError } from './in-force.ts'
import { findFirst } from './of-customer.ts'
import { findProved } from './prove-customer.ts'

/** How long an erasure that was confirmed, and not carried out to its end, is shown. */
const SHOWN_MS = 7 * DAY_MS

/** A person asked to erase what there is of a customer. */
export interface ErasureRequest {
  readonly id: string
  /** In milliseconds since the epoch. */
  readonly at: number
  /** From then on, nobody can confirm it. */
  readonly lapsesAt: number
  /** Account ids. */
  readonly by: string
  readonly customer: string
  readonly note?: string | undefined
  /** Whether it was confirmed already, and something is left: a process ended before it was done. */
  readonly isBegun: boolean
}

/** A person, and what they say. */
export interface SaidBy {
  /** The account id. */
  readonly by: string
  readonly note?: string | undefined
}

/** Erasures that need two people. Who calls has asked whether the person may erase. */
export interface ErasuresByTwo {
  /**
   * Those that can be confirmed, in the order in which they were asked for. A person who may not erase any more asks for
   * nothing: until it is confirmed, their request is not among them.
   */
  list(): Promise<readonly ErasureRequest[]>
  /**
   * @throws Problem 403 for the customer, 404 where there is nothing, 409 where somebody asked already
   * @throws InForceError where something may not be erased
   */
  ask(customer: string, saying: SaidBy): Promise<ErasureRequest>
  /**
   * Erases it. Of those who confirm it together, one does.
   *
   * @throws Problem 403 for the customer and for who asked, 404 where it lapsed or is done, or where who asked may not
   * erase any more, 409 where somebody else does it
   * @throws InForceError where something may not be erased
   */
  confirm(id: string, saying: SaidBy): Promise<ErasedCounts>
}

/** A request as its entries have it. */
interface AskedErasure extends Omit<ErasureRequest, 'customer' | 'isBegun'> {
  /** What leads to the customer, as long as it is there. */
  readonly impersonations: readonly string[]
  readonly permit: string | undefined
  /** What says that it was confirmed: the ids of entries, in their order. */
  readonly confirmed: readonly string[]
}

export interface ErasuresParts extends Omit<ErasureParts, 'record' | 'store'> {
  /** Whether a person may erase now, by the account id. */
  readonly mayErase: (accountId: string) => Promise<boolean>
}

export function erasuresOf(
  { recordSurely, settled, store }: Pick<Audit, 'recordSurely' | 'settled' | 'store'>,
  given: ErasuresParts,
): ErasuresByTwo {
  const { now, mayErase } = given
  const parts: ErasureParts = { ...given, store, record: recordSurely }
  const inTurn = takingTurns()
  const oneByOne = <T>(work: () => Promise<T>) => inTurn((before) => before, work)

  /** All of the last days, by their id. */
  async function readAsked(): Promise<ReadonlyMap<string, AskedErasure>> {
    const found = new Map<string, AskedErasure>()
    for (const { text, digest, id: entryId } of await store.erasures(now() - SHOWN_MS)) {
      // What was changed says nothing.
      if (text === undefined || !isTextOf(text, digest)) continue
      const entry = decodeEntry(text)
      const id = nonEmptyText(entry?.context?.request)
      if (!entry || id === undefined) continue
      const before = found.get(id)
      if (entry.event === ERASING_EVENT) {
        const asked = askedIn(entry, id)
        if (!before && asked) found.set(id, asked)
      } else if (entry.event === ERASED_EVENT && before) {
        found.set(id, {
          ...before,
          impersonations: [
            ...before.impersonations,
            ...(erasedOf(entry.erased)?.impersonations ?? []),
          ],
          confirmed: [...before.confirmed, entryId],
        })
      }
    }
    return found
  }

  /** The request with its customer, while there is something that leads there. */
  async function toConfirm({
    impersonations,
    permit,
    confirmed,
    ...asked
  }: AskedErasure): Promise<ErasureRequest | undefined> {
    const isBegun = confirmed.length > 0
    if (!isBegun && now() >= asked.lapsesAt) return undefined
    const customer = await findCustomer(impersonations, permit)
    if (customer === undefined || !(isBegun || (await mayErase(asked.by)))) return undefined
    return { ...asked, customer, isBegun }
  }

  async function findCustomer(
    impersonations: readonly string[],
    permit: string | undefined,
  ): Promise<string | undefined> {
    const rows = await store.rows(impersonations)
    const [found = permit === undefined ? undefined : await store.permit(permit)] = rows
    if (!found) return undefined
    const customer = typeof found.customer === 'object' ? found.customer.id : found.customer
    if (customer === undefined) return undefined
    const proved = await findProved(store, [found.id], customer)
    return proved.has(found.id) ? customer : undefined
  }

  async function list(): Promise<readonly ErasureRequest[]> {
    await settled()
    const found: ErasureRequest[] = []
    for (const asked of (await readAsked()).values())
      found.push(...[await toConfirm(asked)].flatMap((each) => each ?? []))
    return found
  }

  async function askNow(customer: string, { by, note }: SaidBy): Promise<ErasureRequest> {
    assertOther(customer, by)
    const requests = await list()
    if (requests.some((each) => isSameAccount(each.customer, customer))) {
      throw new Problem(409, 'conflict', 'somebody asked for this already')
    }
    const { inForce } = await findOfCustomer(parts, customer, await parts.hasAccount(customer))
    await raiseAlarms(parts, inForce, { by, note })
    if (inForce.length > 0) throw new InForceError(inForce)
    const first = await findFirst(store, customer, now())
    if (!first) throw notFound('there is nothing of this person')
    const [id, at] = [newId(), now()]
    const context = { request: id, ...first }
    await recordSurely({ event: ERASING_EVENT, timeMs: at, by, ...present({ note }), context })
    return { id, at, lapsesAt: at + DAY_MS, by, customer, ...present({ note }), isBegun: false }
  }

  async function confirmNow(id: string, { by, note }: SaidBy): Promise<ErasedCounts> {
    await settled()
    const asked = (await readAsked()).get(id)
    const request = asked && (await toConfirm(asked))
    if (!request) throw notFound('there is no such request: it lapsed, or it is done')
    assertOther(request.customer, by)
    if (isSameAccount(request.by, by)) {
      throw new Problem(403, 'access_denied', 'another person confirms what you asked for')
    }
    const faster = () =>
      new Problem(409, 'conflict', 'another person confirmed it at the same time')
    const own = new Set<string>()
    const record = (entry: AuditEntry) => {
      const entryId = newEntryId()
      own.add(entryId)
      return recordSurely(entry, entryId)
    }
    /** In the order of the store, the entry at this place is one of this call, or another one was faster. */
    const assertOwn = async (place: number) => {
      const { confirmed = [] } = (await readAsked()).get(id) ?? {}
      if (!own.has(confirmed.at(place) ?? '')) throw faster()
    }
    const assertFirst = () => assertOwn(asked.confirmed.length)
    const said = { by, note }
    const erased = await eraseCustomer({ ...parts, record }, request.customer, said, {
      ...{ request: id, assertFirst, assertLast: () => assertOwn(-1) },
    })
    // Of two that finish what was begun, the last one with something left did it.
    if (erased.impersonations + erased.permits === 0) throw faster()
    return erased
  }

  return {
    list,
    ask: (customer, saying) => oneByOne(() => askNow(customer, saying)),
    confirm: (id, saying) => oneByOne(() => confirmNow(id, saying)),
  }
}

function askedIn(
  { timeMs: at, by, note, context }: AuditEntry,
  id: string,
): AskedErasure | undefined {
  if (by === undefined) return undefined
  const impersonation = nonEmptyText(context?.impersonation)
  return {
    ...{ id, at, lapsesAt: at + DAY_MS, by, note, confirmed: [] },
    impersonations: impersonation === undefined ? [] : [impersonation],
    permit: nonEmptyText(context?.permit),
  }
}

/** @throws Problem for the person concerned */
function assertOther(customer: string, by: string): void {
  if (!isSameAccount(customer, by)) return
  throw new Problem(403, 'access_denied', 'others decide about your own data')
}

/** Whether two account ids are the same, as the storage has them. */
export const isSameAccount = (one: string, other: string) => storable(one) === storable(other)
