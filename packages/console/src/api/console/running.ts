import type { Impersonation, ImpersonationFilter } from 'oidc-provider-impersonation'
import {
  type AuditPerson,
  type AuditRow,
  escapeControls,
  isAfterRefusal,
  nonEmptyText,
  present,
  reasonOf,
} from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../../audit/store.ts'
import { parseOptionalText, readBody } from '../../http/json-body.ts'
import { notFound, orUnavailable, Problem } from '../../http/problem.ts'
import { parseQuery } from '../../http/query.ts'
import type { Settings } from '../../settings.ts'
import { applicationName, canChange } from '../applications.ts'
import { isId } from '../ids.ts'
import type { Call, Parts } from '../parts.ts'
import type { RunningAnswer, RunningImpersonation } from './answers.ts'
import { ticketLink } from './ticket-link.ts'

const MAX_RUNNING_SHOWN = 500
const ROWS_PER_READ = 100
/** The longest that an access token may live, and the time of clocks that differ, in milliseconds. */
const MAX_LIFE_S = 25 * 3600 * 1000

/** `GET /running` */
export async function listRunning(call: Call): Promise<void> {
  const { ctx, caller, now } = call
  parseQuery(ctx.querystring)
  const own = caller.role === 'operator' ? { actor: caller.id } : {}
  const { running, more } = await runningImpersonations(call, own)
  ctx.body = { running, more, now: now() } satisfies RunningAnswer
}

/** `POST /running/:id/end`. An end is recorded (I13): it is carried out in any case, and waits for its entry. */
export async function endOne(call: Call): Promise<void> {
  const { ctx, caller, provider } = call
  await readBody(ctx)
  const id = call.param('id')
  const none = () => notFound('there is no such impersonation that you may end')
  if (!isId(id)) throw none()
  await askProvider(async () => {
    const found = await provider.impersonation.get(id)
    if (!found || !(caller.role === 'lead' || isOf(found, caller.id))) {
      throw none()
    }
  })
  await endAsCaller(call, id)
  ctx.status = 204
}

/** Ends an impersonation, which the caller may. */
export async function endAsCaller({ caller, provider }: Call, id: string): Promise<void> {
  await askProvider(() => provider.impersonation.end(id, { by: { sub: caller.id } }))
}

/** `POST /running/end` */
export async function endAll(call: Call): Promise<void> {
  const { ctx, caller, provider } = call
  const body = await readBody(ctx, 'operator')
  const actor = parseOptionalText(body, 'operator', 255) ?? caller.id
  if (actor !== caller.id && caller.role !== 'lead') {
    throw new Problem(403, 'access_denied', 'only a lead may end what another operator runs')
  }
  const ended = await askProvider(() =>
    provider.impersonation.endAll({ actor }, { by: { sub: caller.id } }),
  )
  ctx.body = { ended }
}

/** What runs, oldest first: the newest of all, and whatever the caller runs. */
export async function runningImpersonations(
  call: Call,
  filter: ImpersonationFilter,
): Promise<Pick<RunningAnswer, 'more' | 'running'>> {
  const { caller, settings } = call
  const { found, more } = await newest(call, filter)
  // However many others run, the caller sees and ends what is theirs.
  const own = more && filter.actor === undefined ? { ...filter, actor: caller.id } : undefined
  const ids = new Set(found.map(({ id }) => id))
  const older = own ? (await newest(call, own)).found.filter(({ id }) => !ids.has(id)) : []
  const shown = [...found, ...older].toReversed()
  const rows = new Map(shown.length > 0 ? await findRows(call, filter) : [])
  if (own && older.length > 0) for (const [id, row] of await findRows(call, own)) rows.set(id, row)
  return {
    running: shown.map((each) => shownTo(caller, each, rows.get(each.id), settings)),
    more,
  }
}

async function newest({ provider }: Call, filter: ImpersonationFilter) {
  const found: Impersonation[] = []
  let cursor: string | undefined
  do {
    const page = await askProvider(() =>
      provider.impersonation.list({ ...filter, state: 'active', limit: ROWS_PER_READ, cursor }),
    )
    found.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined && found.length < MAX_RUNNING_SHOWN)
  return {
    found: found.slice(0, MAX_RUNNING_SHOWN),
    more: cursor !== undefined || found.length > MAX_RUNNING_SHOWN,
  }
}

/**
 * The rows of the audit name people. What runs is shown without them, too: it must be stoppable while
 * the audit cannot be read.
 */
async function findRows(
  { audit, now }: Parts,
  { userId, actor }: ImpersonationFilter,
): Promise<ReadonlyMap<string, AuditRow>> {
  const rows = new Map<string, AuditRow>()
  const filter: RowFilter = {
    outcome: 'running',
    from: now() - MAX_LIFE_S,
    customer: userId,
    operator: actor,
  }
  try {
    let before: string | undefined
    do {
      const page = await audit.store.find(filter, { before, limit: 200, now: now() })
      for (const row of page.rows) rows.set(row.id, row)
      before = page.next
    } while (before !== undefined && rows.size < MAX_RUNNING_SHOWN)
  } catch (error) {
    console.error(escapeControls(`support console: no names of what runs: ${reasonOf(error)}`))
  }
  return rows
}

function shownTo(
  caller: Call['caller'],
  found: Impersonation,
  row: AuditRow | undefined,
  settings: Settings,
): RunningImpersonation {
  const { id, userId, context, client, mayAct, startedAt = 0, expiresAt = 0 } = found
  const operator = operatorOf(found)
  const clientId = client ?? mayAct?.clientId
  const { applications } = settings
  const isOwn = operator === caller.id
  return {
    id,
    customer: personOf(userId, row?.customer),
    ...present({
      operator: operator === undefined ? undefined : personOf(operator, row?.operator),
      software: found.software,
      ticket: nonEmptyText(context.ticketId),
      reason: nonEmptyText(context.reason),
      application: applicationName(applications, clientId),
      isAfterRefusal: isAfterRefusal(found.review) || undefined,
    }),
    ...ticketLink(context.ticketId, settings),
    canChange: canChange(applications, clientId, found.scope) ?? context.access === 'change',
    startedAt: startedAt * 1000,
    expiresAt: expiresAt * 1000,
    // What software does for the caller, the caller ends, and does not do.
    isMine: isOwn && found.software === undefined,
    canEnd: isOwn || caller.role === 'lead',
  }
}

function operatorOf({ actor, mayAct }: Impersonation): string | undefined {
  return actor?.sub ?? mayAct?.sub
}

function isOf(found: Impersonation, accountId: string): boolean {
  return operatorOf(found) === accountId
}

function personOf(id: string, known: AuditPerson | undefined): AuditPerson {
  return known?.id === id ? known : { id }
}

/** Storage that fails is trouble, and never reads as *not found*. */
export function askProvider<T>(ask: () => Promise<T>): Promise<T> {
  return orUnavailable('the provider cannot look up impersonations now', ask)
}
