import { type AuditRow, present } from 'oidc-provider-impersonation-verify/format'
import { notFound } from '../../http/problem.ts'
import { parseQuery, textIn, wordIn } from '../../http/query.ts'
import type { Permit } from '../../permits/permit.ts'
import { isAudited } from '../../sign-in/roles.ts'
import { reading } from '../audit-trouble.ts'
import { shownRow } from '../console/rows.ts'
import { isId } from '../ids.ts'
import type { Call } from '../parts.ts'
import type { PermitPageAnswer, PermitsAnswer } from './answers.ts'
import {
  type Decidable,
  findDeciders,
  maySee,
  permitting,
  requirePermits,
  shownDeciders,
  shownWithRefusals,
} from './shown.ts'

import { keepDeciders } from './waiting.ts'

const MAX_CURSOR_LENGTH = 200
/** How many pages of impersonations are read to find those of a permit, each of 100. */
const MAX_PAGES = 10

/** `GET /permits` */
export async function listPermits(call: Call): Promise<void> {
  const { ctx, caller, now } = call
  const permits = requirePermits(call)
  const query = parseQuery(ctx.querystring, 'open', 'review', 'before')
  const before = textIn(query, 'before', MAX_CURSOR_LENGTH)
  const isOpen = wordIn(query, 'open', ['true'])
  const isReviewDue = wordIn(query, 'review', ['true'])
  const { permits: found, next } = await permitting(() =>
    permits.list({
      // Where there is no list of approvers, an operator decides on nothing.
      ...(isAudited(caller.role) || isOpen || isReviewDue ? {} : { operator: caller.id }),
      ...(isOpen ? { isOpen: true } : {}),
      ...(isReviewDue ? { isReviewDue: true } : {}),
      ...(before === undefined ? {} : { before }),
    }),
  )
  const all = await Promise.all(found.map((permit) => findDeciders(permits, permit)))
  for (const each of all) keepDeciders(permits, each)
  ctx.body = {
    permits: await Promise.all(
      all.filter((each) => maySee(each, caller)).map((each) => shownWithRefusals(each, call)),
    ),
    ...present({ next }),
    now: now(),
  } satisfies PermitsAnswer
}

/** `GET /permits/:id` */
export async function showPermit(call: Call): Promise<void> {
  parseQuery(call.ctx.querystring)
  if (await showAnswer(call)) return
  const decidable = await findPermit(call)
  const { permit } = decidable
  const { operator, until } = permit
  const found = { ...permit, operator: operator.id, until }
  const rows = await reading(() => rowsUnder(found, call))
  const isAwaited = permit.state === 'requested' && permit.needs.includes('second_person')
  call.ctx.body = {
    permit: await shownWithRefusals(decidable, call),
    ...(isAwaited ? { deciders: shownDeciders(decidable) } : {}),
    impersonations: rows.map((row) => shownRow(row, call)),
    now: call.now(),
  } satisfies PermitPageAnswer
}

/** What a customer answered for all requests. @returns whether the path names one that the caller is shown */
async function showAnswer(call: Call): Promise<boolean> {
  const permits = requirePermits(call)
  const id = call.param('id')
  const answer = isId(id) ? await permitting(() => permits.getAnswer(id)) : undefined
  if (!answer) return false
  const { caller, now } = call
  const operator = isAudited(caller.role) ? undefined : caller.id
  const { customer, requestedAt, until } = answer
  const rows = await reading(() => rowsUnder({ id, customer, requestedAt, operator, until }, call))
  if (operator !== undefined && rows.length === 0) return false
  call.ctx.body = {
    answer,
    impersonations: rows.map((row) => shownRow(row, call)),
    now: now(),
  } satisfies PermitPageAnswer
  return true
}

/**
 * The permit of the path.
 *
 * @throws Problem 404 where the caller is shown no such permit
 */
export async function findPermit(call: Call): Promise<Decidable> {
  const permits = requirePermits(call)
  const id = call.param('id')
  const permit = isId(id) ? await permitting(() => permits.get(id)) : undefined
  const decidable = permit && (await findDeciders(permits, permit))
  if (!decidable || !maySee(decidable, call.caller)) throw notFound('there is no such permit')
  return decidable
}

interface Allowing extends Pick<Permit, 'customer' | 'id' | 'requestedAt' | 'until'> {
  /** `undefined` for any. */
  readonly operator: string | undefined
}

async function rowsUnder(permit: Allowing, { audit, caller, now }: Call): Promise<AuditRow[]> {
  const { customer, operator, requestedAt: from, until } = permit
  if (!isAudited(caller.role) && caller.id !== operator) return []
  const filter = { customer: customer.id, operator, from, to: until && until + 1 }
  const rows: AuditRow[] = []
  let before: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await audit.store.find(filter, { before, limit: 100, now: now() })
    rows.push(...page.rows.filter((row) => [row.permit].flat().includes(permit.id)))
    before = page.next
    if (before === undefined || rows.length >= 100) break
  }
  return rows.slice(0, 100)
}
