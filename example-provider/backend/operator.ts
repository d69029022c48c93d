import type { Context, Middleware } from 'koa'
import { bearerToken } from '../http/bearer.ts'
import type { BackendOptions } from './options.ts'
import { requireSupportStaff } from './policy.ts'
import { findSignedIn } from './signed-in.ts'

/**
 * Finds the caller from an application for operators. It does not check the caller's role.
 *
 * @returns the account id
 * @throws BearerProblem when the token is not valid here.
 */
export function findOperator(token: string, options: BackendOptions): Promise<string> {
  return findSignedIn(token, options.operatorClients, options)
}

/** Makes a handler that only support staff can call. */
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
