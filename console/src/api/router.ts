import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { onlyMethods } from '../http/methods.ts'
import { answerProblems, notFound, Problem } from '../http/problem.ts'
import { roleOf } from '../sign-in/roles.ts'
import type { FindSignedIn, SignedIn } from '../sign-in/signed-in.ts'
import { refusedRequest } from './act.ts'
import type { Caller, Parts } from './parts.ts'
import type { Refusal } from './refusals.ts'
import { ROUTES, type Route } from './routes.ts'

/** How long a request waits for room, in milliseconds. */
const ROOM_TIMEOUT_MS = 2000

/** `{path}/api`: all that the pages of the console ask. */
export function consoleApi(parts: Parts, findSignedIn: FindSignedIn): Middleware {
  const prefix = `${parts.settings.path}/api`
  const router = new Router({ prefix, sensitive: true, strict: true })
  const problems = answerProblems('support console')
  for (const route of ROUTES) {
    const allowed = route.method === 'GET' && !route.streams ? ['GET', 'HEAD'] : [route.method]
    router.all(route.path, problems, onlyMethods(...allowed), async (ctx) => {
      const find = async () => callerOf(ctx, route, parts, await findSignedIn(ctx))
      const { params } = ctx
      const caller = await find()
      if (route.writes) await waitForRoom(parts)
      await route.handle({
        ...parts,
        ctx,
        caller,
        param: (name) => params[name] ?? '',
        findAgain: find,
      })
    })
  }
  router.all('/{*rest}', problems, () => {
    throw notFound('there is nothing here')
  })
  // The router itself adds the context members that its type requires.
  return router.routes() as Middleware
}

/** I13: while too many entries wait for the store, what would make another one is refused. */
export async function waitForRoom({ audit: { recorder } }: Pick<Parts, 'audit'>): Promise<void> {
  if (recorder.room.isFree() || (await recorder.room.wait(ROOM_TIMEOUT_MS))) return
  throw new Problem(503, 'temporarily_unavailable', 'nothing was done: try again later', {
    retryAfter: '5',
  })
}

/** @throws Problem 403 for a person whose role may not use the route */
async function callerOf(
  ctx: Context,
  { roles, isActing }: Route,
  parts: Parts,
  signedIn: SignedIn,
): Promise<Caller> {
  const role = await roleOf(signedIn.account, parts.settings)
  if (role !== undefined && roles.includes(role)) return { ...signedIn, role }
  const reason =
    role === undefined
      ? 'only support staff may use the console'
      : `this is for: ${roles.join(', ')}`
  const problem = new Problem(403, 'access_denied', reason)
  if (isActing) {
    await waitForRoom(parts)
    const request = await refusedRequest({ ctx, settings: parts.settings })
    const refusal = { operator: signedIn.id, error: problem.error, reason }
    if (role === undefined) {
      await parts.recordStranger({ ...refusal, request: strangersRequest(request) })
    } else await parts.recordRefusal({ ...refusal, request })
  }
  throw problem
}

/**
 * What a person asked for who is no support staff: any customer, perhaps. It must not become a row of
 * the customer whom they name, who would read it on the account page, in the words of that person.
 */
function strangersRequest(request: Refusal['request']): Refusal['request'] {
  return request && { context: { userId: request.subject } }
}
