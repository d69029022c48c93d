import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { Role } from '../kernel/roles.ts'
import { refusedRequest } from './acting/asked-for.ts'
import { waitForCapacity } from './audit.ts'
import { languageOf } from './http/language.ts'
import { onlyMethods } from './http/methods.ts'
import { answerProblems, NoRoleProblem, notFound, Problem } from './http/problem.ts'
import { readQuery } from './http/query.ts'
import { readJson } from './pages/form-body.ts'
import type { Call, Caller, Parts } from './parts.ts'
import type { StaffRoute } from './routes.ts'
import { findRole } from './sign-in/roles.ts'
import type { FindSignedIn, SignedIn } from './sign-in/signed-in.ts'

/** `{path}/api`: all that the pages of the console ask. The first route that matches answers. */
export function consoleApi<Own extends Parts>(
  parts: Own,
  routes: readonly StaffRoute<Call & Own>[],
  findSignedIn: FindSignedIn,
): Middleware {
  const { settings } = parts
  return api(`${settings.path}/api`, 'support console', routes, async (ctx, route, params) => {
    const input = () => readJson(ctx)
    const findAgain = async () => findCaller(route, parts, await findSignedIn(ctx), input)
    const caller = await findAgain()
    if (!route.hasQuery) readQuery(ctx, {})
    if (route.writes) await waitForCapacity(parts)
    const language = languageOf(ctx, settings.languages)
    const param = (name: string) => params[name] ?? ''
    await route.handle({ ...parts, ctx, caller, language, param, input, findAgain })
  })
}

interface Answering {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly streams?: true
}

function api<R extends Answering>(
  prefix: string,
  realm: string,
  routes: readonly R[],
  answer: (ctx: Context, route: R, params: Readonly<Record<string, string>>) => Promise<void>,
): Middleware {
  const router = new Router({ prefix, sensitive: true, strict: true })
  const problems = answerProblems(realm, realm !== 'account')
  for (const [path, own] of Map.groupBy(routes, (route) => route.path)) {
    const allowed = own.flatMap(({ method, streams }) =>
      method === 'GET' && !streams ? ['GET', 'HEAD'] : [method],
    )
    router.all(path, problems, onlyMethods(...allowed), async (ctx) => {
      const method = ctx.method === 'HEAD' ? 'GET' : ctx.method
      const route = own.find((each) => each.method === method)
      if (route) await answer(ctx, route, ctx.params)
    })
  }
  router.all('/{*rest}', problems, () => {
    throw notFound('there is nothing here')
  })
  // The router itself adds the context members that its type requires.
  return router.routes() as Middleware
}

/** @throws Problem 403 for a person whose role may not use the route */
export async function findCaller(
  { audience, isActing }: { audience: readonly Role[]; isActing?: true | undefined },
  parts: Parts,
  signedIn: SignedIn,
  input: Call['input'],
): Promise<Caller> {
  const role = await findRole(signedIn.account, parts.settings)
  if (role !== undefined && audience.includes(role)) return { ...signedIn, role }
  const problem =
    role === undefined
      ? new NoRoleProblem()
      : new Problem(403, 'access_denied', `this is for: ${audience.join(', ')}`)
  if (isActing) {
    await waitForCapacity(parts)
    const request = await refusedRequest({ input, settings: parts.settings })
    const refusal = {
      operator: signedIn.id,
      error: problem.error,
      reason: problem.message,
      request,
    }
    const { ofStaff, ofStranger } = parts.refusals
    await (role === undefined ? ofStranger : ofStaff)(refusal)
  }
  throw problem
}
