import { type AuditRow, present } from 'oidc-provider-impersonation-verify/format'
import { isId } from '../../../../kernel/ids.ts'
import type { Read } from '../../../../kernel/input.ts'
import { pages, readAll } from '../../../../kernel/pages.ts'
import { isAudited } from '../../../../kernel/roles.ts'
import type { RowAnswer } from '../../../../web/answers.ts'
import { notFound } from '../../../../web/http/problem.ts'
import { shownRow } from '../../../../web/rows.ts'
import type { Permits } from '../options.ts'
import type { Permit } from '../permit.ts'
import type { PermitAnswer, PermitPageAnswer, PermitsAnswer } from './answers.ts'
import { findPauses, type PAGE } from './pauses.ts'
import { keepSeen } from './seen.ts'
import {
  type Decidable,
  findDeciders,
  maySeePermit,
  type PermitCall,
  requirePermits,
  shownDeciders,
  shownWithRefusals,
} from './shown.ts'
import { keepDeciders } from './waiting.ts'

/** How many pages of impersonations are read to find those of a permit, each of 100. */
const MAX_PAGES = 10

/** Lists what waits for a decision of the caller, the newest first: at most a page of it. */
export async function findToDecide(call: PermitCall): Promise<readonly PermitAnswer[]> {
  const { permits } = call
  if (!permits) return []
  const { permits: found } = await shownPage(permits, call, { isAwaited: true })
  return found.filter(({ may }) => may.includes('grant'))
}

/** Lists all emergencies that the caller has to look at, the newest first. */
export async function findToReview(call: PermitCall): Promise<readonly PermitAnswer[]> {
  const { permits } = call
  if (!permits) return []
  return readAll(
    (before) => shownPage(permits, call, { isReviewDue: true, ...present({ before }) }),
    (page) => page.permits.filter(({ may }) => may.includes('review')),
  )
}

/** A page of the permits that the caller is shown. */
async function shownPage(
  permits: Permits,
  call: PermitCall,
  filter: Parameters<Permits['list']>[0],
): Promise<Pick<PermitsAnswer, 'next' | 'permits'>> {
  const { permits: found, next } = await permits.list(filter)
  const all = await Promise.all(found.map((permit) => findDeciders(permits, permit)))
  for (const each of all) keepDeciders(permits, each)
  const seen = all.filter((each) => maySeePermit(each, call.caller))
  return {
    permits: await Promise.all(seen.map((each) => shownWithRefusals(each, call))),
    ...present({ next }),
  }
}

/** Lists what is open, the newest first. The first page has what waits for a look afterwards, and the pauses. */
export async function listPermits(
  call: PermitCall & { readonly query: Read<typeof PAGE> },
): Promise<PermitsAnswer> {
  const { before } = call.query
  const open = { isOpen: true, ...present({ before }) } as const
  const [{ permits, next }, toReview, pauses] = await Promise.all([
    shownPage(requirePermits(call), call, open),
    before === undefined ? findToReview(call) : [],
    before === undefined ? findPauses(call) : [],
  ])
  const others = permits.filter(({ may }) => !may.includes('review'))
  return { toReview, pauses, permits: others, ...present({ next }) }
}

/** Shows one permit, or what a customer answered for all requests. */
export async function showPermit(call: PermitCall): Promise<PermitPageAnswer> {
  const answered = await findAnswer(call)
  if (answered) return answered
  const decidable = await findPermit(call)
  const { permit } = decidable
  if (permit.operator.id === call.caller.id && permit.state !== 'requested')
    keepSeen(call, permit.id)
  const isAwaited = permit.state === 'requested' && permit.needs.includes('second_person')
  return {
    permit: await shownWithRefusals(decidable, call),
    ...(isAwaited ? { deciders: shownDeciders(decidable) } : {}),
    impersonations: await rowsUnder(permit, call),
  }
}

/** What a customer answered for all requests, if the path names one that the caller is shown. */
async function findAnswer(call: PermitCall): Promise<PermitPageAnswer | undefined> {
  const permits = requirePermits(call)
  const id = call.param('id')
  const answer = isId(id) ? await permits.getAnswer(id) : undefined
  if (!answer) return undefined
  const impersonations = await rowsUnder(answer, call)
  const isShown = isAudited(call.caller.role) || impersonations.length > 0
  return isShown ? { answer, impersonations } : undefined
}

/**
 * The permit of the path.
 *
 * @throws Problem 404 where the caller is shown no such permit
 */
async function findPermit(call: PermitCall): Promise<Decidable> {
  const permits = requirePermits(call)
  const id = call.param('id')
  const permit = isId(id) ? await permits.get(id) : undefined
  const decidable = permit && (await findDeciders(permits, permit))
  if (!decidable || !maySeePermit(decidable, call.caller)) throw notFound('there is no such permit')
  return decidable
}

type Allowing = Pick<Permit, 'customer' | 'id' | 'requestedAt'> &
  Partial<Pick<Permit, 'operator' | 'until'>>

/** What ran or runs under a permit, or by an answer, of those that the caller may see. */
export async function rowsUnder(permit: Allowing, call: PermitCall): Promise<RowAnswer[]> {
  const { audit, caller, now } = call
  const { customer, requestedAt: from, until } = permit
  const operator = isAudited(caller.role) ? permit.operator?.id : caller.id
  if (permit.operator && permit.operator.id !== operator) return []
  const filter = { customer: customer.id, operator, from, to: until && until + 1 }
  const rows: AuditRow[] = []
  const read = (before: string | undefined) =>
    audit.store.find(filter, { before, limit: 100, now: now() })
  let count = 0
  for await (const page of pages(read)) {
    rows.push(...page.rows.filter((row) => [row.permit].flat().includes(permit.id)))
    count += 1
    if (count >= MAX_PAGES || rows.length >= 100) break
  }
  return rows.slice(0, 100).map((row) => shownRow(row, call))
}
