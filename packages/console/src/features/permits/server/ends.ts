import type { Impersonation, ImpersonationFilter, Provider } from 'oidc-provider-impersonation'
import { limitTime } from 'oidc-provider-impersonation/siblings'
import { pages, readAll } from '../../../kernel/pages.ts'
import { PERMITS_PER_READ } from '../../../ledger/filters.ts'
import { allReadable } from '../../../ledger/readable.ts'
import type { AuditStore } from '../../../ledger/store.ts'

/** How long ends may take before an answer leaves, in milliseconds. */
export const END_TIMEOUT_MS = 2000

/** Waits so long for ends. They go on after that. */
export const waitForEnds = <T>(mostMs: number, ends: Promise<T>): Promise<T> =>
  limitTime(mostMs, ends, () => new Error('it takes too long'))

/** A customer who said no, and what is to end by that. */
export interface CustomerEnding {
  readonly provider: Provider
  readonly store: Pick<AuditStore, 'permits'>
  readonly customer: string
  /** What was asked for after that is not concerned, in milliseconds since the epoch. */
  readonly before: number
  /** The clock, in milliseconds since the epoch. */
  readonly now: number
}

/**
 * Ends all that is issued or runs for a customer and would not start now, whoever allowed it. The customer
 * ended it.
 *
 * @param mostMs how long it may take, in milliseconds: it goes on after that
 */
export function endForCustomer(ending: CustomerEnding, mostMs: number): Promise<void> {
  return waitForEnds(mostMs, endAllOf(ending))
}

async function endAllOf(ending: CustomerEnding): Promise<void> {
  const { provider, customer, before } = ending
  const goesOn = await emergenciesOf(ending)
  const how = { cause: 'user', by: { sub: customer } } as const
  await endWhere(provider, { userId: customer }, how, ({ permit, issuedAt }) => {
    const permits = permit === undefined ? [] : [permit].flat()
    return issuedAt <= before / 1000 && !permits.some((each) => goesOn.has(each))
  })
}

/**
 * Ends all that an operator runs for a customer who objected.
 *
 * @param before as {@link CustomerEnding} has it
 * @param mostMs how long it may take, in milliseconds: it goes on after that
 */
export function endForObjection(
  provider: Provider,
  { operator, customer }: { readonly operator: string; readonly customer: string },
  before: number,
  mostMs: number,
): Promise<void> {
  const how = { cause: 'user', by: { sub: customer } } as const
  const isConcerned = ({ issuedAt }: Impersonation) => issuedAt <= before / 1000
  const filter = { userId: customer, actor: operator }
  return waitForEnds(mostMs, endWhere(provider, filter, how, isConcerned))
}

/**
 * Ends what an operator was handed and has not begun. What runs, goes on.
 *
 * @param by the account id of the lead who paused the operator
 * @param mostMs as {@link endForObjection} has it
 */
export function endUnbegun(
  provider: Provider,
  operator: string,
  by: string,
  mostMs: number,
): Promise<void> {
  const ended = endWhere(provider, { actor: operator }, { by: { sub: by } }, () => true, ['issued'])
  return waitForEnds(mostMs, ended)
}

async function endWhere(
  { impersonation }: Provider,
  filter: ImpersonationFilter,
  how: Parameters<Provider['impersonation']['end']>[1],
  isConcerned: (found: Impersonation) => boolean,
  states: readonly ('active' | 'issued')[] = ['issued', 'active'],
): Promise<void> {
  for (const state of states) {
    const read = (cursor: string | undefined) =>
      impersonation.list({ ...filter, state, limit: 100, cursor })
    for await (const { items } of pages(read)) {
      for (const found of items) {
        if (isConcerned(found)) await impersonation.end(found.id, how)
      }
    }
  }
}

/** The emergencies that are in their window: a customer who wants to be asked leaves these to the rule. */
async function emergenciesOf({ store, customer, now }: CustomerEnding): Promise<Set<string>> {
  const filter = { customer, state: 'granted', notOverAt: now } as const
  const granted = await readAll(
    (before) => store.permits(filter, { before, limit: PERMITS_PER_READ }),
    ({ permits }) => allReadable(permits),
  )
  return new Set(granted.filter(({ kind }) => kind === 'emergency').map(({ id }) => id))
}
