import { reasonOf } from 'oidc-provider-impersonation-verify/format'
import type { Read } from '../../../kernel/input.ts'
import { log } from '../../../kernel/log-line.ts'
import { problemOf } from '../../../web/http/problem.ts'
import type { At } from '../../../web/kit/at.ts'
import { OWN_ID } from '../../../web/own-id.ts'
import { linesFor, type View } from '../../../web/pages/table.ts'
import type { CustomerCall } from '../../../web/parts.ts'
import type { AccountPause } from '../../../web/pause-answers.ts'
import { accountPage } from '../views/account-page.tsx'
import type { AccountPageAnswer } from './answers.ts'
import { endOwn } from './end.ts'
import { listOwnImpersonations, listOwnRunning, OWN } from './lists.ts'

/** What other features put on the page. */
export interface AccountParts<C> {
  listPauses(call: C): Promise<readonly AccountPause[]>
  listPermits(call: C): Promise<object | undefined>
  readonly Permits: (props: { of: object }, at: At) => ReturnType<View<unknown, At>>['body']
}

/** The page on which customers see who acted as them. */
export function accountPages<C extends CustomerCall>(others: AccountParts<C>) {
  const { action, page } = linesFor<C, At>()
  const model = showAccount(others)
  return [
    page('', [], OWN, model, accountPage(others.Permits)),
    action('/end', [], OWN_ID, endOwn, { after: () => ({ said: { key: 'endedByCustomer' } }) }),
  ]
}

function showAccount<C extends CustomerCall>(others: AccountParts<C>) {
  return async (call: C & { readonly query: Read<typeof OWN> }): Promise<AccountPageAnswer> => {
    const [running, pauses, permits, past] = await Promise.all([
      orNull(listOwnRunning(call)),
      orNull(others.listPauses(call)),
      orNull(others.listPermits(call)),
      orNull(listOwnImpersonations(call, call.query)),
    ])
    return { running, pauses, past, ...(permits !== undefined && { permits }) }
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
