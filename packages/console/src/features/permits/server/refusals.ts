import { DAY_MS, isPermit, isSameTicket, saidIn } from 'oidc-provider-impersonation-verify/format'
import { allRecords } from '../../../ledger/readable.ts'
import { PermitError } from '../../../records/errors.ts'
import { type Permit, type PermitRefusal, recordAt } from '../../../records/record-at.ts'
import type { Records } from '../../../records/records.ts'
import type { RequestFacts } from './rules.ts'

/** The refusal that a permit is, while it holds. */
export function refusalIn(permit: Permit, now: number): PermitRefusal | undefined {
  const said = saidIn(permit, 'declined')
  if (!said?.by) return undefined
  const { by, at, need } = said
  const until = at + DAY_MS
  return until > now ? { permit, by, at, until, isByCustomer: need === 'user' } : undefined
}

/** What was refused to an operator for a customer in an application, and still holds. The newest first. */
export async function findRefusals(
  { store, reading, now }: Pick<Records, 'now' | 'reading' | 'store'>,
  { customer, operator, application }: Pick<RequestFacts, 'application' | 'customer' | 'operator'>,
): Promise<readonly PermitRefusal[]> {
  const filter = { customer, operator, state: 'declined', notOverAt: now() } as const
  const refused = await reading(() => allRecords(store, filter))
  return refused
    .filter(isPermit)
    .filter((permit) => permit.application === application)
    .flatMap((permit) => refusalIn(recordAt(permit, now()), now()) ?? [])
}

/** Of the same ticket, however it is written. */
export function isOfTicket({ permit }: PermitRefusal, ticket: string): boolean {
  return isSameTicket(permit.ticket, ticket)
}

/** @throws PermitError where the customer refused: that holds for every ticket */
export function assertNotRefused(refusals: readonly PermitRefusal[], now: number): void {
  const holding = refusals.find(({ isByCustomer }) => isByCustomer)
  if (holding) throw refusedLately(holding, now)
}

/** @throws PermitError where the same ticket was refused */
export function assertOtherTicket(
  refusals: readonly PermitRefusal[],
  ticket: string,
  now: number,
): void {
  const same = refusals.find((refusal) => isOfTicket(refusal, ticket))
  if (same) throw refusedLately(same, now)
}

function refusedLately({ permit, until }: PermitRefusal, now: number): PermitError {
  const retryAfter = Math.ceil((until - now) / 1000)
  return new PermitError('refused_lately', 'this was refused: ask again later', {
    permit,
    retryAfter,
  })
}
