import type { Context, Middleware } from 'koa'
import { bearerToken } from '../http/bearer.ts'
import { Problem } from '../http/problem.ts'
import type { BackendOptions } from './options.ts'
import { findSignedIn } from './signed-in.ts'

/**
 * Finds the caller: a person who works in support, and signed in to an application for operators.
 *
 * @returns the account id
 * @throws BearerProblem when the token is not valid here, Problem 403 for everyone else.
 */
export async function findOperator(token: string, options: BackendOptions): Promise<string> {
  const id = await findSignedIn(token, options.operatorClients, options)
  if (options.people.find(id)?.isStaff) return id
  throw new Problem(403, 'access_denied', 'only support staff may act as a customer')
}

/** Makes a handler that only support staff can call. */
export function forStaff(
  options: BackendOptions,
  handle: (ctx: Context, operatorId: string) => unknown,
): Middleware {
  return async (ctx) => {
    await handle(ctx, await findOperator(bearerToken(ctx), options))
  }
}
