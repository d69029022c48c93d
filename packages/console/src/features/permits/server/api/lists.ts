import { type AuditRow, present } from 'oidc-provider-impersonation-verify/format'
import { isId } from '../../../../kernel/ids.ts'
import { MAX_COUNTED } from '../../../../kernel/limits.ts'
import { pages, readAll } from '../../../../kernel/pages.ts'
import { isAudited } from '../../../../kernel/roles.ts'
import type { Permit } from '../../../../records/record-at.ts'
import type { RowAnswer } from '../../../../web/answers.ts'
import { notFound } from '../../../../web/http/problem.ts'
import { shownRow } from '../../../../web/rows.ts'
import type { ConsolePermits } from '../options.ts'
import type { PermitAnswer, PermitPageAnswer, PermitsAnswer } from './answers.ts'
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

/** What the caller asked for, what waits for a word of theirs, and what a lead can take back. */
export async function listPermits(call: PermitCall): Promise<PermitsAnswer> {
  const { caller, permits } = call
  if (!permits) return { permits: [], toReview: [] }
  const [own, awaited, toReview, inForce] = await Promise.all([
    findShown(permits, call, { operator: caller.id, isOpen: true }, () => true),
    findShown(permits, call, { isAwaited: true }, ({ may }) => may.includes('granted')),
    findShown(permits, call, { isReviewDue: true }, ({ may }) => may.includes('reviewed')),
    caller.role === 'lead'
      ? findShown(permits, call, { isOpen: true }, ({ may, isMine, state }) => {
          return (
            state === 'granted' && !isMine && may.includes('revoked') && !may.includes('reviewed')
          )
        })
      : [],
  ])
  return { permits: [...awaited, ...own, ...inForce], toReview }
}

/** Finds the permits that the caller is shown, the newest first. */
async function findShown(
  permits: ConsolePermits,
  call: PermitCall,
  filter: Parameters<ConsolePermits['listPermits']>[0],
  isWanted: (permit: PermitAnswer) => boolean,
): Promise<readonly PermitAnswer[]> {
  const shown = async (permit: Permit) => {
    const decidable = await findDeciders(permits, permit)
    keepDeciders(permits, decidable)
    return maySeePermit(decidable, call.caller) ? shownWithRefusals(decidable, call) : []
  }
  const found = await readAll(
    async (before) => {
      const page = await permits.listPermits({ ...filter, ...present({ before }) })
      return { next: page.next, permits: (await Promise.all(page.permits.map(shown))).flat() }
    },
    (page) => page.permits.filter(isWanted),
    MAX_COUNTED,
  )
  return found
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
  const permit = isId(id) ? await permits.getPermit(id) : undefined
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
