import {
  AFTER_REFUSAL,
  type AnyPermit,
  isSameTicket,
  type PermitRecord,
  REFUSAL_HOLDS_MS,
} from 'oidc-provider-impersonation-verify/format'
import { readAll } from '../../../kernel/pages.ts'
import { PERMITS_PER_READ } from '../../../ledger/filters.ts'
import { allReadable } from '../../../ledger/readable.ts'
import type { PermitsContext } from './context.ts'
import { PermitError } from './errors.ts'
import { type Permit, type PermitRefusal, permitAt } from './permit.ts'
import type { RequestFacts } from './rules.ts'

/** The refusal that a permit is, while it holds. */
export function refusalIn(permit: Permit, now: number): PermitRefusal | undefined {
  const said = permit.decisions.find(({ isGranted }) => !isGranted)
  if (permit.state !== 'refused' || !said) return undefined
  const { by, at, need } = said
  const until = at + REFUSAL_HOLDS_MS
  return until > now ? { permit, by, at, until, isByCustomer: need === 'user' } : undefined
}

/** What was refused to an operator for a customer in an application, and still holds. The newest first. */
export async function findRefusals(
  { store, reading, now }: Pick<PermitsContext, 'now' | 'reading' | 'store'>,
  { customer, operator, application }: Pick<RequestFacts, 'application' | 'customer' | 'operator'>,
): Promise<readonly PermitRefusal[]> {
  const filter = { customer, operator, state: 'refused', notOverAt: now() } as const
  const refused = await readAll(
    (before) => reading(() => store.permits(filter, { before, limit: PERMITS_PER_READ })),
    ({ permits }) => allReadable(permits).flatMap(approvalsIn),
  )
  return refused
    .filter((permit) => permit.application === application)
    .flatMap((permit) => refusalIn(permitAt(permit, now()), now()) ?? [])
}

function approvalsIn(record: AnyPermit): PermitRecord[] {
  return record.kind === 'approval' ? [record] : []
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

/**
 * @returns why it has to be looked at, where something else was refused
 * @throws PermitError where the same ticket was refused
 */
export function reviewAfter(
  refusals: readonly PermitRefusal[],
  ticket: string,
  now: number,
): string | undefined {
  const same = refusals.find((refusal) => isOfTicket(refusal, ticket))
  if (same) throw refusedLately(same, now)
  const [last] = refusals
  return last && `${AFTER_REFUSAL}${last.by.name ?? last.by.id}`
}

function refusedLately({ permit, until }: PermitRefusal, now: number): PermitError {
  const retryAfter = Math.ceil((until - now) / 1000)
  return new PermitError('refused_lately', 'this was refused: ask again later', {
    ...{ permit, retryAfter },
  })
}
