import type { Context, Middleware } from 'koa'
import { bearerToken } from '../http/bearer.ts'
import type { BackendOptions } from './options.ts'
import { requireSupportStaff } from './policy.ts'
import { findSignedIn } from './signed-in.ts'

/**
 * Who calls, from an operators' application. Whether they are an operator is not said yet.
 *
 * @returns the account id
 * @throws BearerProblem when the token is worth nothing here.
 */
export function findOperator(token: string, options: BackendOptions): Promise<string> {
  return findSignedIn(token, options.operatorClients, options)
}

/** A handler that only support staff reach. */
export function forStaff(
  options: BackendOptions,
  handle: (ctx: Context, operatorId: string) => unknown,
): Middleware {
  return async (ctx) => {
    const operatorId = await findOperator(bearerToken(ctx), options)
    requireSupportStaff(operatorId)
    await handle(ctx, operatorId)
  }
}
