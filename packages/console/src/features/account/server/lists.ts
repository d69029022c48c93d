import { storable } from 'oidc-provider-impersonation-verify/chain'
import { type AuditRow, reasonOf } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { log, unlessTrouble } from '../../../kernel/log-line.ts'
import { findLookedInto, listOwnRecords } from '../../../records/api/of-customer.ts'
import type { CustomerRecordCall } from '../../../records/api/shown.ts'
import { type AccountImpersonation, describeTicket } from '../../../web/account-card.ts'
import { whatWasDone } from '../../../web/done.ts'
import { Problem } from '../../../web/http/problem.ts'
import { cursor, numberParameter } from '../../../web/http/query.ts'
import type { CustomerCall, WithQuery } from '../../../web/parts.ts'
import { readActive, rowOfRunning } from '../../../web/rows.ts'

/** The most that are shown of what runs at once. */
const MAX_RUNNING_SHOWN = 50

export const OWN = { before: cursor, limit: v.optional(numberParameter(1, 50), '10') }

export type AccountPageAnswer = Awaited<ReturnType<typeof showAccount>>

/**
 * `GET {account.path}`: who acts and acted as the caller. A part that cannot be read now is `null`: the customer
 * must be able to end what runs in any case. A customer reads only what concerns them: never the reason that the
 * operator gave, nor why the provider refused a request.
 */
export async function showAccount(call: WithQuery<typeof OWN, CustomerRecordCall>) {
  const [running, records, past] = await Promise.all([
    orNull(listOwnRunning(call)),
    orNull(listOwnRecords(call)),
    orNull(listPast(call)),
  ])
  return { running, records, past }
}

/** A part that cannot be read takes no other part away. */
async function orNull<T>(part: Promise<T>): Promise<T | null> {
  try {
    return await part
  } catch (error) {
    // The request itself is wrong.
    if (error instanceof Problem && error.statusCode < 500) throw error
    log(`a part of the account page cannot be read: ${reasonOf(error)}`)
    return null
  }
}

export type AccountAnswer = Awaited<ReturnType<typeof listPast>>

/** Lists the impersonations of the caller, newest first. */
async function listPast(call: WithQuery<typeof OWN, CustomerRecordCall>) {
  const { audit, caller, now, query } = call
  const { before, limit } = query
  const page = await audit.store.find({ customer: caller.id }, { before, limit, now: now() })
  const rows = page.rows.filter(({ customer }) => customer?.id === storable(caller.id))
  const hasObjection = rows.some(({ objection }) => objection)
  const lookedInto = hasObjection ? await findLookedInto(call) : undefined
  const impersonations = rows.map(async (row): Promise<AccountImpersonation> => {
    const { objection, operator } = row
    const lookedIntoAt = objection && operator && lookedInto?.(operator.id, objection.at)
    return { ...(await describe(row, call)), lookedIntoAt }
  })
  return { impersonations: await Promise.all(impersonations), next: page.next }
}

/** Lists the impersonations of the caller that run now, newest first. */
async function listOwnRunning(call: CustomerCall): Promise<readonly AccountImpersonation[]> {
  const running = await readActive(call, { userId: call.caller.id }, MAX_RUNNING_SHOWN)
  return Promise.all(
    running.map(async (one) => {
      // The customer must be able to end it while the audit cannot be read, too.
      const found = await unlessTrouble('what was done cannot be read', async () =>
        describe(rowOfRunning(one, await call.audit.store.row(one.id)), call),
      )
      return found ?? describeTicket([rowOfRunning(one)], { did: [], more: undefined }, call)
    }),
  )
}

async function describe(row: AuditRow, call: CustomerCall): Promise<AccountImpersonation> {
  const { audit, language, settings } = call
  const done = await whatWasDone(audit.store, [row], settings.account?.describe, language)
  return describeTicket([row], done, call)
}
