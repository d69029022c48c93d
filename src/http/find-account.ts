import type { Context } from 'koa'
import type { Account, Provider } from 'oidc-provider'
import * as grants from '../host/grants.ts'
import { runInRequest } from '../host/request.ts'
import { requestless, withOidc } from './context.ts'

/**
 * The account with this id, by `findAccount` of the provider's configuration; `undefined` where the
 * provider knows no such account.
 *
 * @param ctx the request that is answered, for a `findAccount` that reads it
 */
export async function findAccount(
  provider: Provider,
  accountId: string,
  ctx?: Context,
): Promise<Account | undefined> {
  const oidcCtx = withOidc(provider, ctx ?? requestless(provider))
  return runInRequest(oidcCtx, () => grants.findAccount(provider, oidcCtx, accountId))
}
