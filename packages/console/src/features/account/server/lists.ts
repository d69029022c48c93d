import type { Impersonation } from 'oidc-provider-impersonation'
import { storable } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditRow,
  escapeControls,
  present,
  reasonOf,
} from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { oneOf } from '../../../kernel/input.ts'
import { readAll } from '../../../kernel/pages.ts'
import { whatWasDone } from '../../../web/done.ts'
import { askProvider } from '../../../web/http/problem.ts'
import { cursor, numberParameter, readQuery } from '../../../web/http/query.ts'
import type { CustomerCall } from '../../../web/parts.ts'
import type { Settings } from '../../../web/settings.ts'
import type { AccountAnswer, AccountImpersonation, AccountRunningAnswer } from './answers.ts'
import { describeRow, describeRunning } from './describe.ts'

const MAX_ROWS_SHOWN = 50
const ROWS_PER_PAGE = 10
/** The most that are shown of what runs at once. */
const MAX_RUNNING_SHOWN = 50
/** So many timelines are read at once. */
const AT_ONCE = 5

/** `GET /impersonations` */
export async function listOwnImpersonations(call: CustomerCall): Promise<void> {
  const { ctx, caller, audit, settings, now } = call
  const { before, limit, language } = readQuery(ctx, {
    before: cursor,
    limit: v.optional(numberParameter(1, MAX_ROWS_SHOWN), `${ROWS_PER_PAGE}`),
    language: languageParameter(settings),
  })
  const page = await audit.store.find({ customer: caller.id }, { before, limit, now: now() })
  const rows = page.rows.filter(({ customer }) => customer?.id === storable(caller.id))
  const impersonations = await inParts(rows, async (row) => {
    const done = await whatWasDone(audit.store, row, settings.account?.describe, language)
    return describeRow(row, done, call)
  })
  ctx.body = {
    impersonations,
    ...present({ next: page.next }),
    now: now(),
  } satisfies AccountAnswer
}

/** `GET /running` */
export async function listOwnRunning(call: CustomerCall): Promise<void> {
  const { ctx, caller, settings, now } = call
  const { language } = readQuery(ctx, { language: languageParameter(settings) })
  const running = await runningFor(call, caller.id)
  ctx.body = {
    impersonations: await inParts(running, (one) => withWhatWasDone(call, one, language)),
    now: now(),
  } satisfies AccountRunningAnswer
}

async function runningFor({ provider }: CustomerCall, userId: string) {
  const filter = { userId, state: 'active', limit: 50 } as const
  const running = await readAll(
    (cursor) => askProvider(() => provider.impersonation.list({ ...filter, cursor })),
    ({ items }) => items,
    MAX_RUNNING_SHOWN,
  )
  return running.slice(0, MAX_RUNNING_SHOWN)
}

/** What runs is told while the audit cannot be read, too: the customer must be able to end it. */
async function withWhatWasDone(
  call: CustomerCall,
  running: Impersonation,
  language: string,
): Promise<AccountImpersonation> {
  const { audit, settings } = call
  const answer = (row?: AuditRow, done: Parameters<typeof describeRunning>[2] = { did: [] }) =>
    describeRunning(running, row, done, call)
  try {
    const row = await audit.store.row(running.id)
    return row
      ? answer(row, await whatWasDone(audit.store, row, settings.account?.describe, language))
      : answer()
  } catch (error) {
    const reason = reasonOf(error)
    console.error(escapeControls(`support console: what was done cannot be read: ${reason}`))
    return answer()
  }
}

function languageParameter({ languages }: Pick<Settings, 'languages'>) {
  return v.optional(oneOf(languages.tags), 'en')
}

/** Keeps the order. A few at once: a page must not take all connections of the storage. */
async function inParts<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (let from = 0; from < all.length; from += AT_ONCE) {
    done.push(...(await Promise.all(all.slice(from, from + AT_ONCE).map(work))))
  }
  return done
}
