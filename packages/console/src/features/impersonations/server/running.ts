import type { ImpersonationFilter } from 'oidc-provider-impersonation'
import { isId } from '../../../kernel/ids.ts'
import { unlessTrouble } from '../../../kernel/log-line.ts'
import { readAll } from '../../../kernel/pages.ts'
import { isAudited } from '../../../kernel/roles.ts'
import { askProvider, notFound } from '../../../web/http/problem.ts'
import { mayEnd } from '../../../web/may.ts'
import type { Call } from '../../../web/parts.ts'
import { readActive, rowOfRunning, shownRow } from '../../../web/rows.ts'

const MAX_RUNNING_SHOWN = 500
/** The longest that an access token may live, and the time of clocks that differ, in milliseconds. */
const MAX_LIFE_MS = 25 * 3600 * 1000

/**
 * Lists what runs, a part of the first page: an operator sees their own, leads and auditors see all.
 */
export function listRunning(call: Call): Promise<RunningAnswer> {
  const { caller } = call
  return runningImpersonations(call, isAudited(caller.role) ? {} : { actor: caller.id })
}

/**
 * `POST /running/:id/end`: the caller ends their own, a lead any. An end is recorded (I13): it is carried out
 * in any case, and waits for its entry.
 *
 * @throws Problem 404 for what the caller may not end
 */
export async function endRunning(call: Call): Promise<void> {
  const { caller, provider } = call
  const id = call.param('id')
  const found = isId(id) ? await askProvider(() => provider.impersonation.get(id)) : undefined
  if (!found || !mayEnd(caller, rowOfRunning(found))) {
    throw notFound('there is no such impersonation that you may end')
  }
  const permits = [found.permit ?? []].flat()
  // A lead's end keeps the same emergency from starting again. The end is carried out in any case.
  const revoke = caller.role === 'lead' && call.gate.revokeEmergencies(call, permits)
  const [revoked] = await Promise.allSettled([revoke])
  await endAsCaller(call, id)
  if (revoked.status === 'rejected') throw revoked.reason
}

/** Ends an impersonation, which the caller may. */
export async function endAsCaller({ caller, provider }: Call, id: string): Promise<void> {
  await askProvider(() => provider.impersonation.end(id, { by: { sub: caller.id } }))
}

export type RunningAnswer = Awaited<ReturnType<typeof runningImpersonations>>
export type RunningImpersonation = RunningAnswer['running'][number]

/** Lists what runs, oldest first. If there is too much, the newest: the strip has what the caller runs. */
export async function runningImpersonations(call: Call, filter: ImpersonationFilter) {
  const { audit, now } = call
  // With more than are shown, there are more.
  const found = await readActive(call, filter, MAX_RUNNING_SHOWN + 1)
  const shown = found
    .slice(0, MAX_RUNNING_SHOWN)
    .filter(({ expiresAt = 0 }) => expiresAt * 1000 > now())
    .toReversed()
  const known = {
    outcome: 'running',
    from: now() - MAX_LIFE_MS,
    customer: filter.userId,
    operator: filter.actor,
  } as const
  // The audit names people. While it cannot be read, a person must still be able to stop what runs.
  const rows = await unlessTrouble('no names of what runs', async () =>
    shown.length === 0
      ? []
      : readAll(
          (before) => audit.store.find(known, { before, limit: 200, now: now() }),
          (page) => page.rows,
          MAX_RUNNING_SHOWN,
        ),
  )
  const byId = new Map(rows?.map((row) => [row.id, row]))
  return {
    running: shown.map((each) => shownRow(rowOfRunning(each, byId.get(each.id)), call)),
    /** `true` if more run than these. */
    more: found.length > MAX_RUNNING_SHOWN,
  }
}
