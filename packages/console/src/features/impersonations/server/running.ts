import type { Impersonation, ImpersonationFilter } from 'oidc-provider-impersonation'
import {
  type AuditPerson,
  type AuditRow,
  nonEmptyText,
  present,
  type RowUse,
  reasonOf,
  unapprovedIn,
} from 'oidc-provider-impersonation-verify/format'
import { isId } from '../../../kernel/ids.ts'
import type { Read } from '../../../kernel/input.ts'
import { MAX_ID_LENGTH } from '../../../kernel/limits.ts'
import { log } from '../../../kernel/log-line.ts'
import { readAll } from '../../../kernel/pages.ts'
import { isAudited } from '../../../kernel/roles.ts'
import type { RowFilter } from '../../../ledger/filters.ts'
import type { RunningAnswer, RunningImpersonation, RunningUse } from '../../../web/answers.ts'
import { applicationName, canChange } from '../../../web/applications.ts'
import { optionalText } from '../../../web/http/json-body.ts'
import { askProvider, notFound, Problem } from '../../../web/http/problem.ts'
import type { Call, Parts } from '../../../web/parts.ts'
import { ticketLink } from '../../../web/ticket-link.ts'
import { auditWords } from '../../../web/use-words.ts'

const MAX_RUNNING_SHOWN = 500
const ROWS_PER_READ = 100
/** The longest that an access token may live, and the time of clocks that differ, in milliseconds. */
const MAX_LIFE_S = 25 * 3600 * 1000

/**
 * Lists what runs: an operator sees their own, leads and auditors see all.
 *
 * @param asked picks out a part of it: words that a row shows
 */
export async function listRunning(call: Call, asked?: string): Promise<RunningAnswer> {
  const { caller } = call
  const own = caller.role === 'operator' ? { actor: caller.id } : {}
  const { running, more } = await runningImpersonations(call, own)
  return {
    running: asked === undefined ? running : running.filter(fitsSearch(asked)),
    ...{ count: running.length, more },
    ...present({ asked }),
  }
}

/** Whether each word of the text is in what the row shows. */
function fitsSearch(wanted: string): (it: RunningImpersonation) => boolean {
  const asked = wanted.toLocaleLowerCase().trim().split(/\s+/)
  return ({ operator, customer, ticket, application, reason }) => {
    const people = [operator, customer].flatMap((each) => [each?.id, each?.name, each?.email])
    const all = [...people, ticket, application, reason].join('\n').toLocaleLowerCase()
    return asked.every((word) => all.includes(word))
  }
}

/** Ends one. An end is recorded (I13): it is carried out in any case, and waits for its entry. */
export async function endRunning(call: Call): Promise<void> {
  const { caller, provider } = call
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
}

/** Ends an impersonation, which the caller may. */
export async function endAsCaller({ caller, provider }: Call, id: string): Promise<void> {
  await askProvider(() => provider.impersonation.end(id, { by: { sub: caller.id } }))
}

export const OPERATOR = { operator: optionalText(MAX_ID_LENGTH) }

/** Ends all that the caller runs, or for a lead, all that an operator runs. */
export async function endAllRunning({
  body,
  caller,
  provider,
}: Call & { readonly body: Read<typeof OPERATOR> }): Promise<{ readonly ended: number }> {
  const { operator: actor = caller.id } = body
  if (actor !== caller.id && caller.role !== 'lead') {
    throw new Problem(403, 'access_denied', 'only a lead may end what another operator runs')
  }
  const ended = await askProvider(() =>
    provider.impersonation.endAll({ actor }, { by: { sub: caller.id } }),
  )
  return { ended }
}

/** What runs, oldest first: the newest of all, and whatever the caller runs. */
export async function runningImpersonations(
  call: Call,
  filter: ImpersonationFilter,
): Promise<Pick<RunningAnswer, 'more' | 'running'>> {
  const { caller } = call
  const { found, more } = await newest(call, filter)
  // However many others run, the caller sees and ends what is theirs.
  const own = more && filter.actor === undefined ? { ...filter, actor: caller.id } : undefined
  const ids = new Set(found.map(({ id }) => id))
  const older = own ? (await newest(call, own)).found.filter(({ id }) => !ids.has(id)) : []
  const isOver = ({ expiresAt = 0 }: Impersonation) => expiresAt * 1000 <= call.now()
  const shown = [...found, ...older].filter((each) => !isOver(each)).toReversed()
  const rows = new Map(shown.length > 0 ? await findRows(call, filter) : [])
  if (own && older.length > 0) for (const [id, row] of await findRows(call, own)) rows.set(id, row)
  return {
    running: shown.map((each) => shownTo(call, each, rows.get(each.id))),
    more,
  }
}

async function newest({ provider }: Call, filter: ImpersonationFilter) {
  const asked = { ...filter, state: 'active', limit: ROWS_PER_READ } as const
  // With more than are shown, there are more.
  const found = await readAll(
    (cursor) => askProvider(() => provider.impersonation.list({ ...asked, cursor })),
    ({ items }) => items,
    MAX_RUNNING_SHOWN + 1,
  )
  return { found: found.slice(0, MAX_RUNNING_SHOWN), more: found.length > MAX_RUNNING_SHOWN }
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
    const found = await readAll(
      (before) => audit.store.find(filter, { before, limit: 200, now: now() }),
      (page) => page.rows,
      MAX_RUNNING_SHOWN,
    )
    for (const row of found) rows.set(row.id, row)
  } catch (error) {
    log(`no names of what runs: ${reasonOf(error)}`)
  }
  return rows
}

function shownTo(
  { caller, language, settings }: Call,
  found: Impersonation,
  row: AuditRow | undefined,
): RunningImpersonation {
  const { id, userId, context, client, mayAct, startedAt = 0, expiresAt = 0 } = found
  const operator = operatorOf(found)
  const clientId = client ?? mayAct?.clientId
  const { applications } = settings
  const isOwn = operator === caller.id
  const lastUse = isOwn || isAudited(caller.role) ? row?.lastUse : undefined
  return {
    id,
    customer: knownPerson(userId, row?.customer),
    ...present({
      operator: operator === undefined ? undefined : knownPerson(operator, row?.operator),
      software: found.software,
      ticket: nonEmptyText(context.ticketId),
      reason: nonEmptyText(context.reason),
      application: applicationName(applications, clientId, language),
      unapproved: unapprovedIn(found.review),
      lastUse: lastUse && describeLastUse(lastUse, settings, language),
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

function describeLastUse(use: RowUse, { account }: Call['settings'], language: string): RunningUse {
  const { method, path, status, isRefused = false, audience } = use
  const described = { method, path, status, refused: isRefused, audience }
  return { ...use, ...present({ words: auditWords(described, account?.describe, language) }) }
}

function operatorOf({ actor, mayAct }: Impersonation): string | undefined {
  return actor?.sub ?? mayAct?.sub
}

function isOf(found: Impersonation, accountId: string): boolean {
  return operatorOf(found) === accountId
}

function knownPerson(id: string, known: AuditPerson | undefined): AuditPerson {
  return known?.id === id ? known : { id }
}
