import Router from '@koa/router'
import type { Middleware } from 'koa'
import { languageOf } from '../../http/language.ts'
import { onlyMethods } from '../../http/methods.ts'
import { answerProblems, notFound } from '../../http/problem.ts'
import type { UseInWords } from '../../options.ts'
import { inLanguage } from '../../settings.ts'
import type { FindSignedIn } from '../../sign-in/signed-in.ts'
import { listOwnPauses } from '../pauses/pauses.ts'
import type { AccountCall, AccountParts } from './call.ts'
import { endOne } from './end.ts'
import { listImpersonations, listRunning } from './lists.ts'
import { objections } from './objections.ts'
import { accountPermits } from './permits.ts'

export interface AccountApiOptions {
  /** Where the account page is. */
  readonly path: string
  readonly describe?: UseInWords | undefined
}

/** `{account.path}/api`: who acted as the customer, for this customer. No cookie is read. */
export function accountApi(
  parts: AccountParts,
  { path, describe }: AccountApiOptions,
  findSignedIn: FindSignedIn,
): Middleware {
  const router = new Router({ prefix: `${path}/api`, sensitive: true, strict: true })
  const problems = answerProblems('account')
  const route = (
    at: string,
    methods: readonly string[],
    handle: (call: AccountCall) => Promise<void>,
  ) => {
    router.all(at, problems, onlyMethods(...methods), async (ctx) => {
      const caller = await findSignedIn(ctx)
      const settings = inLanguage(parts.settings, languageOf(ctx, parts.settings.languages))
      await handle({ ...parts, settings, describe, ctx, caller })
    })
  }
  route('/impersonations', ['GET', 'HEAD'], listImpersonations)
  route('/running', ['GET', 'HEAD'], listRunning)
  route('/end', ['POST'], endOne)
  route('/objection', ['POST'], objections())
  route('/pauses', ['GET', 'HEAD'], listOwnPauses)
  const { permits } = parts.settings
  if (!permits) {
    // The page asks in any case: an error would be one in its console.
    route('/permits', ['GET', 'HEAD'], async ({ ctx }) => {
      ctx.status = 204
    })
  } else {
    const { list, say, choose } = accountPermits(permits)
    route('/permits', ['GET', 'HEAD'], list)
    route('/permits/grant', ['POST'], say('grant'))
    route('/permits/refuse', ['POST'], say('refuse'))
    route('/permits/lift', ['POST'], say('lift'))
    route('/permits/revoke', ['POST'], say('revoke'))
    route('/permits/standing', ['POST'], choose)
  }
  router.all('/{*rest}', problems, () => {
    throw notFound('there is nothing here')
  })
  // The router itself adds the context members that its type requires.
  return router.routes() as Middleware
}
