import { slotOf, storable } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  type AuditPerson,
  type AuditRecord,
  asciiJson,
  DAY_MS,
  ERASING_EVENT,
  may,
  present,
  type Speaking,
  speakersOf,
} from 'oidc-provider-impersonation-verify/format'
import { newId } from '../../../kernel/ids.ts'
import { allRecords, readable } from '../../../ledger/readable.ts'
import type { Audit } from '../../../ledger/recording/audit.ts'
import type { Decisions } from '../../../records/decide.ts'
import { notFound, Problem } from '../../../web/http/problem.ts'
import {
  type DataRequest,
  type ErasedCounts,
  type ErasureParts,
  eraseCustomer,
  findOfCustomer,
  raiseAlarms,
} from './erase.ts'
import { InForceError } from './in-force.ts'
import { findFirst, findProved } from './of-customer.ts'

/** Time for which an erasure that broke off is shown. */
const SHOWN_MS = 7 * DAY_MS

/** The record of a request, with the customer whom it does not name. Confirmed, it broke off before its end. */
export interface ErasureRequest extends AuditRecord {
  readonly by: AuditPerson
  readonly customer: AuditPerson
}

/** A person, and what they say. */
type SaidBy = DataRequest & { readonly by: string }

export interface ErasuresParts extends ErasureParts {
  readonly settled: Audit['settled']
  /** Returns true if a person may erase now, by the account id. */
  readonly mayErase: (accountId: string) => Promise<boolean>
  readonly decide: Decisions
}

/** Erasures that need two people. Who calls has asked whether the person may erase. */
export function erasuresOf({ settled, mayErase, decide, ...parts }: ErasuresParts) {
  const { now, store } = parts

  /** The request with its customer, while there is something that leads there. */
  async function toConfirm(record: AuditRecord | undefined): Promise<ErasureRequest | undefined> {
    const { by, lapsesAt = 0, state } = record ?? {}
    if (!record || !by || !(await isAsTold(record))) return undefined
    const isBegun = state === 'confirmed'
    if (!isBegun && (now() >= lapsesAt || !(await mayErase(by.id)))) return undefined
    const customer = await findCustomer(record)
    return customer === undefined ? undefined : { ...record, by, customer: { id: customer } }
  }

  /** Returns false if its entries were changed, or tell another one: then it asks for nothing. */
  async function isAsTold(record: AuditRecord): Promise<boolean> {
    const [told] = await store.permitsInForce({ slots: [slotOf(record)] })
    return told?.data === asciiJson(record)
  }

  async function findCustomer(record: AuditRecord): Promise<string | undefined> {
    const id = aboutOf(record)
    const found = (await store.row(id))?.customer?.id ?? (await store.permit(id))?.customer
    if (found === undefined) return undefined
    return (await findProved(store, [id], found)).has(id) ? found : undefined
  }

  /**
   * Those that can be confirmed, in the order in which they were asked for. A person who may not erase any more asks for
   * nothing: until it is confirmed, their request is not among them.
   */
  async function list(): Promise<readonly ErasureRequest[]> {
    await settled()
    const found = [
      ...(await allRecords(store, { state: 'asked', notOverAt: now() })),
      ...(await allRecords(store, { state: 'confirmed', from: now() - SHOWN_MS })),
    ]
    const all = await Promise.all(found.map(toConfirm))
    return all
      .filter((each) => each !== undefined)
      .toSorted((one, other) => one.requestedAt - other.requestedAt)
  }

  return {
    list,
    /**
     * @throws Problem 403 for the customer, 404 where there is nothing, 409 where somebody asked already
     * @throws InForceError where something may not be erased
     */
    async ask(customer: string, said: SaidBy): Promise<ErasureRequest> {
      const { by, note } = said
      if (isSameAccount(customer, by)) {
        throw new Problem(403, 'access_denied', 'others decide about your own data')
      }
      const conflict = () => new Problem(409, 'conflict', 'somebody asked for this already')
      if ((await list()).some((each) => isSameAccount(each.customer.id, customer))) throw conflict()
      const { inForce } = await findOfCustomer(parts, customer)
      await raiseAlarms(parts, inForce, said)
      if (inForce.length > 0) throw new InForceError(inForce)
      const first = await findFirst(store, customer, now())
      if (!first) throw notFound('there is nothing of this person')
      const timeMs = now()
      const entry: AuditEntry = {
        event: ERASING_EVENT,
        timeMs,
        permit: newId(),
        by,
        ...present({ note }),
        context: { [first.kind]: first.id },
        terms: { needs: [], lapsesAt: timeMs + DAY_MS },
      }
      const asked = await decide.begin(entry, async (holder) => {
        // Another process was faster.
        if (await toConfirm(holder)) throw conflict()
        return undefined
      })
      return { ...asked, by: { id: by }, customer: { id: customer } }
    },
    /**
     * Erases it. Of those who confirm it together, one does. What broke off, whoever may erase finishes.
     *
     * @throws Problem 403 for the customer and for who asked, 404 where it lapsed or is done, or where who asked may not
     * erase any more, 409 where somebody else does it
     * @throws InForceError where something may not be erased
     */
    async confirm(id: string, said: SaidBy): Promise<ErasedCounts> {
      await settled()
      const request = await toConfirm(readable(await store.permit(id)))
      if (!request) throw notFound('there is no such request: it lapsed, or it is done')
      const { by, note } = said
      const person = eraser(by)
      if (!speakersOf(request, person).includes('eraser')) {
        const who = 'neither who asked for it nor the person concerned confirms it'
        throw new Problem(403, 'access_denied', who)
      }
      const faster = () =>
        new Problem(409, 'conflict', 'another person confirmed it at the same time')
      const confirm = () =>
        decide.decide(id, (record) => {
          if (typeof may(record, 'confirmed', person, now()) === 'string') throw faster()
          const timeMs = Math.max(now(), record.lastAt)
          return { event: 'support.confirmed', timeMs, permit: id, by, ...present({ note }) }
        })
      const erased = await eraseCustomer(parts, request.customer.id, said, {
        request: id,
        last: aboutOf(request),
        begin: async () => request.state === 'confirmed' || confirm(),
      })
      // Of those who finish what was begun, one removed the last of it.
      if (erased.impersonations + erased.permits === 0) throw faster()
      return erased
    },
  }
}

/** The id of a row or record that leads to the customer, whom the record does not name. */
const aboutOf = ({ impersonation, record = '' }: AuditRecord) => impersonation ?? record

/** A person who may erase. */
export const eraser = (id: string): Speaking => ({ id: storable(id), is: ['eraser'] })

/** Compares two account ids as the storage has them. */
export const isSameAccount = (one: string, other: string) => storable(one) === storable(other)
