import type { Impersonation } from 'oidc-provider-impersonation'
import {
  type AuditRow,
  escapeControls,
  present,
  reasonOf,
} from 'oidc-provider-impersonation-verify/format'
import { numberIn, parseQuery, type Query, textIn, wordIn } from '../../http/query.ts'
import type { Settings } from '../../settings.ts'
import { reading } from '../audit-trouble.ts'
import { askProvider } from '../console/running.ts'
import type { AccountAnswer, AccountImpersonation, AccountRunningAnswer } from './answers.ts'
import type { AccountCall } from './call.ts'
import { describeRow, describeRunning } from './describe.ts'
import { whatWasDone } from './done.ts'

const MAX_ROWS_SHOWN = 50
const ROWS_PER_PAGE = 10
/** The most that are shown of what runs at once. */
const MAX_RUNNING_SHOWN = 50
const MAX_CURSOR = 200
/** So many timelines are read at once. */
const AT_ONCE = 5

/** `GET /impersonations` */
export async function listImpersonations(call: AccountCall): Promise<void> {
  const { ctx, caller, audit, settings, now } = call
  const query = parseQuery(ctx.querystring, 'before', 'limit', 'language')
  const before = textIn(query, 'before', MAX_CURSOR)
  const limit = numberIn(query, 'limit', 1, MAX_ROWS_SHOWN) ?? ROWS_PER_PAGE
  const language = languageIn(query, settings)
  ctx.body = await reading(async (): Promise<AccountAnswer> => {
    const page = await audit.store.find({ customer: caller.id }, { before, limit, now: now() })
    const rows = page.rows.filter(({ customer }) => customer?.id === caller.id)
    const impersonations = await inParts(rows, async (row) => {
      const done = await whatWasDone(audit.store, row, call.describe, language)
      return describeRow(row, done, settings.applications, now())
    })
    return { impersonations, ...present({ next: page.next }), now: now() }
  })
}

/** `GET /running` */
export async function listRunning(call: AccountCall): Promise<void> {
  const { ctx, caller, settings, now } = call
  const language = languageIn(parseQuery(ctx.querystring, 'language'), settings)
  const running = await runningFor(call, caller.id)
  ctx.body = {
    impersonations: await inParts(running, (one) => withWhatWasDone(call, one, language)),
    now: now(),
  } satisfies AccountRunningAnswer
}

async function runningFor({ provider }: AccountCall, userId: string) {
  const running: Impersonation[] = []
  let cursor: string | undefined
  do {
    const page = await askProvider(() =>
      provider.impersonation.list({ userId, state: 'active', limit: 50, cursor }),
    )
    running.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined && running.length < MAX_RUNNING_SHOWN)
  return running.slice(0, MAX_RUNNING_SHOWN)
}

/** What runs is told while the audit cannot be read, too: the customer must be able to end it. */
async function withWhatWasDone(
  { audit, describe, settings }: AccountCall,
  running: Impersonation,
  language: string,
): Promise<AccountImpersonation> {
  const answer = (row?: AuditRow, done: Parameters<typeof describeRunning>[2] = { did: [] }) =>
    describeRunning(running, row, done, settings.applications)
  try {
    const row = await audit.store.row(running.id)
    return row ? answer(row, await whatWasDone(audit.store, row, describe, language)) : answer()
  } catch (error) {
    const reason = reasonOf(error)
    console.error(escapeControls(`support console: what was done cannot be read: ${reason}`))
    return answer()
  }
}

function languageIn(query: Query, { languages }: Pick<Settings, 'languages'>): string {
  return wordIn(query, 'language', languages.tags) ?? 'en'
}

/** Keeps the order. A few at once: a page must not take all connections of the storage. */
async function inParts<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (let from = 0; from < all.length; from += AT_ONCE) {
    done.push(...(await Promise.all(all.slice(from, from + AT_ONCE).map(work))))
  }
  return done
}
