import type {
  EndOptions,
  Impersonation,
  ImpersonationFilter,
  Provider,
} from 'oidc-provider-impersonation'
import { limitTime } from 'oidc-provider-impersonation/siblings'
import {
  type AuditPerson,
  type AuditRecord,
  isAnswer,
  isNeedMet,
  isPermit,
  isStop,
  may,
  type PermitRecord,
  present,
  type StopRecord,
  saidIn,
} from 'oidc-provider-impersonation-verify/format'
import { pages } from '../kernel/pages.ts'
import type { PermitFilter } from '../ledger/filters.ts'
import { allRecords } from '../ledger/readable.ts'
import type { AddNames } from '../ledger/recording/names.ts'
import type { AuditStore } from '../ledger/store.ts'
import { type Decisions, factsOfRecord } from './decide.ts'

/** How long ends may take before an answer leaves, in milliseconds. */
export const END_TIMEOUT_MS = 2000

/** Waits so long for ends. They go on after that. */
export const waitForEnds = <T>(mostMs: number, ends: Promise<T>): Promise<T> =>
  limitTime(mostMs, ends, () => new Error('it takes too long'))

/** Ends what a record ends, whoever decided it: said again, it ends what is left. */
export type Ends = ReturnType<typeof endsOf>

export function endsOf(
  store: Pick<AuditStore, 'permits'>,
  { decide }: Pick<Decisions, 'decide'>,
  addNames: AddNames,
  provider: Provider,
  now: () => number,
) {
  /** Takes back what is open. What is over stays as it is. */
  async function revoke(permit: PermitRecord, by: string): Promise<void> {
    const about = { ...factsOfRecord(permit), by }
    const event = 'support.revoked'
    const { names } = await addNames({ event, timeMs: now(), ...about })
    // It follows from what this person may say: whether they may say it themselves is not asked.
    const person = { id: by, is: ['approver'] } as const
    await decide(permit.id, (stored) => {
      const word = stored && may(stored, 'revoked', person, undefined)
      // Another process was first: what it decided stays.
      if (!stored || typeof word !== 'object') throw new AlreadyOver()
      return { event, timeMs: Math.max(now(), stored.lastAt), ...about, names }
    }).catch((error: unknown) => {
      if (!(error instanceof AlreadyOver)) throw error
    })
  }

  async function open(filter: PermitFilter): Promise<readonly PermitRecord[]> {
    return (await allRecords(store, { ...filter, notOverAt: now() })).filter(isPermit)
  }

  /** I15: stored first, so that nothing starts any more by it. */
  async function revokeAll(
    filter: Pick<PermitFilter, 'customer' | 'operator'>,
    by: string,
    isConcerned: (permit: PermitRecord) => boolean = () => true,
  ): Promise<void> {
    for (const state of ['granted', 'requested'] as const) {
      const found = await open({ ...filter, state })
      for (const permit of found.filter(isConcerned)) await revoke(permit, by)
    }
  }

  async function endWhere(
    filter: ImpersonationFilter,
    how: EndOptions,
    isConcerned: (found: Impersonation) => boolean,
  ): Promise<void> {
    const { impersonation } = provider
    for (const state of ['issued', 'active'] as const) {
      const read = (cursor: string | undefined) =>
        impersonation.list({ ...filter, state, limit: 100, cursor })
      for await (const { items } of pages(read)) {
        for (const found of items) {
          if (isConcerned(found)) await impersonation.end(found.id, how)
        }
      }
    }
  }

  /** All that would not start now, whoever allowed it. An emergency goes on: the rule decides on it. */
  async function endUnasked(customer: string, before: number): Promise<void> {
    await revokeAll({ customer }, customer, (permit) => isNeedMet(permit, 'user'))
    const granted = await open({ customer, state: 'granted' })
    const goesOn = new Set(granted.flatMap(({ id, kind }) => (kind === 'emergency' ? id : [])))
    const how = { cause: 'user', by: { sub: customer } } as const
    await endWhere({ userId: customer }, how, ({ permit, issuedAt }) => {
      const isAllowed = [permit ?? []].flat().some((id) => goesOn.has(id))
      return issuedAt <= before / 1000 && !isAllowed
    })
  }

  /** Ends all that an operator runs, as one customer or as any. */
  function endOperator(
    { operator, customer, by }: Pick<StopRecord, 'by' | 'customer' | 'operator'>,
    before: number,
  ): Promise<void> {
    const filter = { actor: operator.id, ...present({ userId: customer?.id }) }
    return endWhere(filter, endBy(customer, by), ({ issuedAt }) => issuedAt <= before / 1000)
  }

  return {
    endOperator,
    revoke,
    /** @param before what was issued after that is not concerned, in milliseconds since the epoch */
    async carryOut(record: AuditRecord, before: number): Promise<void> {
      if (isPermit(record) && record.state === 'revoked') await endUnder(provider, record)
      if (isAnswer(record) && record.state === 'ask') await endUnasked(record.customer.id, before)
      if (!isStop(record) || record.state !== 'stopped') return
      const { operator, customer, by } = record
      const there = { operator: operator.id, ...present({ customer: customer?.id }) }
      await revokeAll(there, by.id)
      await endOperator(record, before)
    },
  }
}

class AlreadyOver extends Error {}

/** Ends everything issued or active under a record that was revoked. */
export async function endUnder(
  { impersonation }: Pick<Provider, 'impersonation'>,
  record: Pick<PermitRecord, 'customer' | 'id'> & Partial<Pick<PermitRecord, 'said'>>,
): Promise<void> {
  const { id, customer, said = [] } = record
  const { by, note } = saidIn({ said }, 'revoked') ?? {}
  const how = by
    ? { ...endBy(customer, by), ...present({ reason: note }) }
    : ({ cause: 'policy', reason: 'the permit was revoked' } as const)
  await impersonation.endAll({ userId: customer.id, permit: id }, how)
}

/** Who said it ended it. */
function endBy(customer: AuditPerson | undefined, by: AuditPerson) {
  const cause = by.id === customer?.id ? ('user' as const) : ('requested' as const)
  return { cause, by: { sub: by.id } }
}
