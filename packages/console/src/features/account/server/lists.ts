import type { Impersonation } from 'oidc-provider-impersonation'
import { storable } from 'oidc-provider-impersonation-verify/chain'
import { present, reasonOf } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import type { Read } from '../../../kernel/input.ts'
import { log } from '../../../kernel/log-line.ts'
import { type AccountImpersonation, describeRow } from '../../../web/account-card.ts'
import { whatWasDone } from '../../../web/done.ts'
import { cursor, numberParameter } from '../../../web/http/query.ts'
import type { CustomerCall } from '../../../web/parts.ts'
import { readActive, rowOfRunning } from '../../../web/rows.ts'
import type { AccountAnswer } from './answers.ts'

const MAX_ROWS_SHOWN = 50
const ROWS_PER_PAGE = 10
/** The most that are shown of what runs at once. */
const MAX_RUNNING_SHOWN = 50
/** So many timelines are read at once. */
const AT_ONCE = 5

export const OWN = {
  before: cursor,
  limit: v.optional(numberParameter(1, MAX_ROWS_SHOWN), `${ROWS_PER_PAGE}`),
}

/** Finds when another person looked into what the caller objected to, by the operator. */
export type FindLookedInto<C> = (
  call: C,
) => Promise<(operator: string, objectedAt: number) => number | undefined>

/** Lists the impersonations of the caller, newest first. */
export async function listOwnImpersonations<C extends CustomerCall>(
  call: C,
  { before, limit }: Read<typeof OWN>,
  findLookedInto: FindLookedInto<C>,
): Promise<AccountAnswer> {
  const { caller, audit, language, settings, now } = call
  const page = await audit.store.find({ customer: caller.id }, { before, limit, now: now() })
  const rows = page.rows.filter(({ customer }) => customer?.id === storable(caller.id))
  const described = await inParts(rows, async (row) => {
    const done = await whatWasDone(audit.store, [row], settings.account?.describe, language)
    return describeRow(row, done, call)
  })
  const lookedInto = rows.some(({ objection }) => objection) && (await findLookedInto(call))
  const impersonations = described.map((each) => {
    const { operator, objectedAt } = each
    if (!lookedInto || !operator || objectedAt === undefined) return each
    return { ...each, ...present({ lookedIntoAt: lookedInto(operator.id, objectedAt) }) }
  })
  return { impersonations, ...present({ next: page.next }) }
}

/** Lists the impersonations of the caller that run now, newest first. */
export async function listOwnRunning(call: CustomerCall): Promise<readonly AccountImpersonation[]> {
  const running = await readActive(call, { userId: call.caller.id }, MAX_RUNNING_SHOWN)
  return inParts(running, (one) => withWhatWasDone(call, one))
}

/** What runs is told while the audit cannot be read, too: the customer must be able to end it. */
async function withWhatWasDone(
  call: CustomerCall,
  running: Impersonation,
): Promise<AccountImpersonation> {
  const { audit, language, settings } = call
  try {
    const row = await audit.store.row(running.id)
    const rows = row ? [row] : []
    const done = await whatWasDone(audit.store, rows, settings.account?.describe, language)
    return describeRow(rowOfRunning(running, row), done, call)
  } catch (error) {
    log(`what was done cannot be read: ${reasonOf(error)}`)
    return describeRow(rowOfRunning(running), { did: [] }, call)
  }
}

/** Keeps the order. A few at once: a page must not take all connections of the storage. */
async function inParts<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (let from = 0; from < all.length; from += AT_ONCE) {
    done.push(...(await Promise.all(all.slice(from, from + AT_ONCE).map(work))))
  }
  return done
}
