import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { languageOf } from '../../http/language.ts'
import { onlyMethods } from '../../http/methods.ts'
import { answerProblems, busy, notFound, Problem } from '../../http/problem.ts'
import { inLanguage } from '../../settings.ts'
import { findRole } from '../../sign-in/roles.ts'
import type { FindSignedIn, SignedIn } from '../../sign-in/signed-in.ts'
import { customerDirectory } from '../customer-directory.ts'
import type { Caller, Parts } from '../parts.ts'
import { refusedRequest } from './asked-for.ts'
import { CONSOLE_ROUTES, type Route } from './routes.ts'

/** `{path}/api`: all that the pages of the console ask. */
export function consoleApi(parts: Parts, findSignedIn: FindSignedIn): Middleware {
  const prefix = `${parts.settings.path}/api`
  const router = new Router({ prefix, sensitive: true, strict: true })
  const problems = answerProblems('support console')
  for (const [path, routes] of Map.groupBy(CONSOLE_ROUTES, (route) => route.path)) {
    const allowed = routes.flatMap(({ method, streams }) =>
      method === 'GET' && !streams ? ['GET', 'HEAD'] : [method],
    )
    router.all(path, problems, onlyMethods(...allowed), async (ctx) => {
      const method = ctx.method === 'HEAD' ? 'GET' : ctx.method
      const route = routes.find((each) => each.method === method)
      if (!route) return
      const find = async () => findCaller(ctx, route, parts, await findSignedIn(ctx))
      const { params } = ctx
      const caller = await find()
      if (route.writes) await waitForCapacity(parts)
      const language = languageOf(ctx, parts.settings.languages)
      await route.handle({
        ...parts,
        settings: inLanguage(parts.settings, language),
        directory: customerDirectory(parts.settings, language),
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

/**
 * Nothing acts before it is recorded (I13): while the store cannot take entries, what would make another one
 * is refused.
 */
export async function waitForCapacity({
  audit: { recorder },
  settings,
}: Pick<Parts, 'audit' | 'settings'>): Promise<void> {
  if (recorder.capacity.isFree() || (await recorder.capacity.wait(settings.auditTimeout * 1000)))
    return
  throw busy('nothing was done: try again later')
}

/** @throws Problem 403 for a person whose role may not use the route */
async function findCaller(
  ctx: Context,
  { roles, isActing }: Route,
  parts: Parts,
  signedIn: SignedIn,
): Promise<Caller> {
  const role = await findRole(signedIn.account, parts.settings)
  if (role !== undefined && roles.includes(role)) return { ...signedIn, role }
  const reason =
    role === undefined
      ? 'only support staff may use the console'
      : `this is for: ${roles.join(', ')}`
  const problem = new Problem(403, 'access_denied', reason)
  if (isActing) {
    await waitForCapacity(parts)
    const request = await refusedRequest({ ctx, settings: parts.settings })
    const refusal = { operator: signedIn.id, error: problem.error, reason, request }
    const { ofStaff, ofStranger } = parts.refusals
    await (role === undefined ? ofStranger : ofStaff)(refusal)
  }
  throw problem
}
