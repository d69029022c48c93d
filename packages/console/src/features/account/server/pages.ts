import { reasonOf } from 'oidc-provider-impersonation-verify/format'
import type { ComponentType } from 'preact'
import type { Read } from '../../../kernel/input.ts'
import { log } from '../../../kernel/log-line.ts'
import { problemOf } from '../../../web/http/problem.ts'
import type { At } from '../../../web/kit/at.ts'
import { OWN_ID } from '../../../web/own-id.ts'
import { linesFor } from '../../../web/pages/table.ts'
import type { CustomerCall } from '../../../web/parts.ts'
import { accountPage } from '../views/account-page.tsx'
import type { AccountPageAnswer } from './answers.ts'
import { endOwn } from './end.ts'
import { type FindLookedInto, listOwnImpersonations, listOwnRunning, OWN } from './lists.ts'

/** What records put on the page. */
export interface AccountParts<C, R> {
  listRecords(call: C): Promise<R>
  readonly findLookedInto: FindLookedInto<C>
  readonly Records: ComponentType<{ of: R }>
}

/** The page on which customers see who acted as them. */
export function accountPages<C extends CustomerCall, R>(parts: AccountParts<C, R>) {
  const { action, page } = linesFor<C, At>()
  return [
    page('', [], OWN, showAccount(parts), accountPage(parts.Records)),
    action('/end', [], OWN_ID, endOwn, { says: 'endedByCustomer' }),
  ]
}

function showAccount<C extends CustomerCall, R>(parts: AccountParts<C, R>) {
  return async (call: C & { readonly query: Read<typeof OWN> }): Promise<AccountPageAnswer<R>> => {
    const [running, records, past] = await Promise.all([
      orNull(listOwnRunning(call)),
      orNull(parts.listRecords(call)),
      orNull(listOwnImpersonations(call, call.query, parts.findLookedInto)),
    ])
    return { running, records, past }
  }
}

/** A part that cannot be read takes no other part away. */
async function orNull<T>(part: Promise<T>): Promise<T | null> {
  try {
    return await part
  } catch (error) {
    // What the request says is wrong.
    if (problemOf(error, false).statusCode < 500) throw error
    log(`a part of the account page cannot be read: ${reasonOf(error)}`)
    return null
  }
}
