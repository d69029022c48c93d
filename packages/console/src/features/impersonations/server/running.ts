import type { Impersonation, ImpersonationFilter } from 'oidc-provider-impersonation'
import {
  type AuditRow,
  present,
  type RowUse,
  reasonOf,
} from 'oidc-provider-impersonation-verify/format'
import { isId } from '../../../kernel/ids.ts'
import { log } from '../../../kernel/log-line.ts'
import { readAll } from '../../../kernel/pages.ts'
import { isAudited } from '../../../kernel/roles.ts'
import type { RunningAnswer, RunningImpersonation, RunningUse } from '../../../web/answers.ts'
import { canChange } from '../../../web/applications.ts'
import { askProvider, notFound } from '../../../web/http/problem.ts'
import { mayEnd } from '../../../web/may.ts'
import type { Call, Parts } from '../../../web/parts.ts'
import { readActive, rowOfRunning, shownRow } from '../../../web/rows.ts'
import { auditWords } from '../../../web/use-words.ts'

const MAX_RUNNING_SHOWN = 500
/** The longest that an access token may live, and the time of clocks that differ, in milliseconds. */
const MAX_LIFE_MS = 25 * 3600 * 1000

/** Lists what runs: an operator sees their own, leads and auditors see all. */
export function listRunning(call: Call): Promise<RunningAnswer> {
  const { caller } = call
  return runningImpersonations(call, caller.role === 'operator' ? { actor: caller.id } : {})
}

/** Ends one. An end is recorded (I13): it is carried out in any case, and waits for its entry. */
export async function endRunning(call: Call): Promise<void> {
  const { caller, provider } = call
  const id = call.param('id')
  const none = () => notFound('there is no such impersonation that you may end')
  if (!isId(id)) throw none()
  const permits = await askProvider(async () => {
    const found = await provider.impersonation.get(id)
    if (!found || !mayEnd(caller, rowOfRunning(found))) throw none()
    return [found.permit ?? []].flat()
  })
  // What a lead ends does not start again by the same emergency. The end is carried out in any case.
  const revoke = caller.role === 'lead' && call.gate.revokeEmergencies(call, permits)
  const [revoked] = await Promise.allSettled([revoke])
  await endAsCaller(call, id)
  if (revoked.status === 'rejected') throw revoked.reason
}

/** Ends an impersonation, which the caller may. */
export async function endAsCaller({ caller, provider }: Call, id: string): Promise<void> {
  await askProvider(() => provider.impersonation.end(id, { by: { sub: caller.id } }))
}

/** What runs, oldest first. If there is too much, the newest: the strip has what the caller runs. */
export async function runningImpersonations(
  call: Call,
  filter: ImpersonationFilter,
): Promise<RunningAnswer> {
  const { now } = call
  // With more than are shown, there are more.
  const found = await readActive(call, filter, MAX_RUNNING_SHOWN + 1)
  const shown = found
    .slice(0, MAX_RUNNING_SHOWN)
    .filter(({ expiresAt = 0 }) => expiresAt * 1000 > now())
    .toReversed()
  const rows = shown.length > 0 ? await findRows(call, filter) : undefined
  return {
    running: shown.map((each) => shownTo(call, each, rows?.get(each.id))),
    more: found.length > MAX_RUNNING_SHOWN,
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
  const from = now() - MAX_LIFE_MS
  const filter = { outcome: 'running', from, customer: userId, operator: actor } as const
  try {
    const found = await readAll(
      (before) => audit.store.find(filter, { before, limit: 200, now: now() }),
      ({ rows }) => rows,
      MAX_RUNNING_SHOWN,
    )
    return new Map(found.map((row) => [row.id, row]))
  } catch (error) {
    log(`no names of what runs: ${reasonOf(error)}`)
    return new Map()
  }
}

function shownTo(
  call: Call,
  found: Impersonation,
  known: AuditRow | undefined,
): RunningImpersonation {
  const { caller, language, settings } = call
  const row = rowOfRunning(found, known)
  const { application, lastUse, operator, scope, software } = row
  const isOwn = operator?.id === caller.id
  const use = isOwn || isAudited(caller.role) ? lastUse : undefined
  return {
    ...shownRow(row, call),
    ...{ customer: row.customer, startedAt: row.startedAt, expiresAt: row.expiresAt },
    lastUse: use && describeLastUse(use, settings, language),
    canChange:
      canChange(settings.applications, application, scope) ?? found.context.access === 'change',
    // What software does for the caller, the caller ends, and does not do.
    isMine: isOwn && software === undefined,
    canEnd: mayEnd(caller, row),
  }
}

function describeLastUse(use: RowUse, { account }: Call['settings'], language: string): RunningUse {
  const { method, path, status, isRefused = false, audience } = use
  const described = { method, path, status, refused: isRefused, audience }
  return { ...use, ...present({ words: auditWords(described, account?.describe, language) }) }
}
