import type { Impersonation, ImpersonationFilter } from 'oidc-provider-impersonation'
import {
  type AuditPerson,
  nonEmptyText,
  outcomeOf,
  present,
  type RowUse,
} from 'oidc-provider-impersonation-verify/format'
import { isId } from '../kernel/ids.ts'
import { readAll } from '../kernel/pages.ts'
import type { FoundRow } from '../ledger/store.ts'
import type { RowAnswer } from './answers.ts'
import { applicationName, canChange } from './applications.ts'
import { askProvider, notFound } from './http/problem.ts'
import { mayEnd, maySee } from './may.ts'
import type { Call } from './parts.ts'
import { ticketUrlOf } from './ticket.ts'
import { wordsForUse } from './use-words.ts'

/** A row with what is derived from it, as far as the caller may see it. */
export function shownRow<R extends FoundRow>(row: R, call: Call): R & RowAnswer {
  const { caller, language, settings, now } = call
  const { application, lastUse, objection, operator, scope, software, ticket } = row
  const outcome = outcomeOf(row, now())
  const isOpen = outcome === 'running' || outcome === 'waiting'
  const use = isOpen && maySee(caller, row) ? lastUse : undefined
  return {
    ...row,
    // Customers and leads speak of an operator's work to each other and to auditors. The objection
    // stays, because the operator cannot act any more.
    ...(caller.role === 'operator' && {
      alarm: undefined,
      acknowledged: undefined,
      hold: undefined,
      objection: objection && { at: objection.at },
    }),
    // Bookkeeping: the timeline tells it.
    deliveries: undefined,
    // An operator sees no request of others.
    lastUse: use && { ...use, words: auditWords(use, use.isRefused === true, call) },
    outcome,
    ticketUrl: ticketUrlOf(ticket, settings),
    applicationName: applicationName(settings.applications, application, language),
    canChange: canChange(settings.applications, application, scope),
    // Software that acts for the caller is ended by the caller, and is not theirs.
    isMine: operator?.id === caller.id && software === undefined,
    canEnd: isOpen && mayEnd(caller, row),
  }
}

/** Returns the deployment's words for a request in the audit, or `undefined`. It hides nothing here. */
export function auditWords(
  use: Omit<RowUse, 'at'>,
  refused: boolean,
  { language, settings: { account } }: Pick<Call, 'language' | 'settings'>,
): string | undefined {
  if (!account?.describe) return undefined
  return wordsForUse(use, refused, account.describe, language) || undefined
}

const ACTIVE = { state: 'active', limit: 100 } as const

/** Reads what runs, the newest first. @param most about so many */
export function readActive(
  { provider }: Pick<Call, 'provider'>,
  filter: ImpersonationFilter,
  most: number,
): Promise<Impersonation[]> {
  return readAll(
    (cursor) => askProvider(() => provider.impersonation.list({ ...filter, ...ACTIVE, cursor })),
    ({ items }) => items,
    most,
  )
}

const NO_USES = { reads: 0, changes: 0, refused: 0, failed: 0, denied: 0, replays: 0 }

/**
 * Makes a row of what runs. Without the row of the audit it has no names, because what runs must be
 * stoppable while the audit cannot be read.
 */
export function rowOfRunning(found: Impersonation, row?: FoundRow) {
  const { actor, client, context, id, issuedAt, mayAct, review, scope, software, userId } = found
  const { startedAt = 0, expiresAt = 0 } = found
  const operator = actor?.sub ?? mayAct?.sub
  const at = issuedAt * 1000
  return {
    ...NO_USES,
    ...row,
    id,
    at,
    lastAt: at,
    end: undefined,
    scope,
    startedAt: startedAt * 1000,
    expiresAt: expiresAt * 1000,
    customer: knownPerson(userId, row?.customer),
    ...present({
      operator: operator === undefined ? undefined : knownPerson(operator, row?.operator),
      application: client ?? mayAct?.clientId,
      ticket: nonEmptyText(context.ticketId),
      reason: nonEmptyText(context.reason),
      review,
      software,
    }),
  } satisfies FoundRow
}

function knownPerson(id: string, known: AuditPerson | undefined): AuditPerson {
  return known?.id === id ? known : { id }
}

/**
 * The row of the path.
 *
 * @throws Problem 404 where the caller may see no such row
 */
export async function findRow(call: Call): Promise<FoundRow> {
  const { audit, caller } = call
  const id = call.param('id')
  const row = isId(id) ? await audit.store.row(id) : undefined
  if (!row || !maySee(caller, row)) throw notFound('there is no such impersonation')
  return row
}
