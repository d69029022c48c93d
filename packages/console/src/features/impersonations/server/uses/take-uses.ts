import type { Middleware } from 'koa'
import type { Provider, RequestListener } from 'oidc-provider-impersonation'
import {
  endsWithin,
  list,
  requestListener,
  resolve,
  text,
} from 'oidc-provider-impersonation/siblings'
import { pathRule } from '../../../../kernel/option-rules.ts'
import { waitForCapacity } from '../../../../web/audit.ts'
import { bodyReader } from '../../../../web/http/json-body.ts'
import {
  answerProblems,
  busy,
  invalid,
  onlyMethods,
  Problem,
} from '../../../../web/http/problem.ts'
import type { Parts } from '../../../../web/parts.ts'
import { senderOf } from '../../../../web/sign-in/sender.ts'
import { usesTaker } from './record-told.ts'

export interface TakeUsesOptions {
  /** The ids of the clients that may send: at least one. Each has the grant `client_credentials`. */
  readonly clients: readonly string[]
  /** Where uses are taken; other requests are passed on. @defaultValue '/uses' */
  readonly path?: string | undefined
}

/** Takes what guards of APIs in other processes tell, as Koa middleware. */
export interface TakeUses extends Middleware {
  /** The same as a request listener: for Express, Connect, NestJS and Node's own server. */
  callback(): RequestListener
}

const TAKE_USES_RULES = {
  clients: list(
    text.required('a client with the grant client_credentials'),
    "client ids, such as ['orders-api']",
    1,
  ).required('the clients that may send uses'),
  path: pathRule.or('/uses'),
}

/** The largest body, in bytes, and the most uses in it. */
const MAX_BODY = 8 * 1024 * 1024
const MAX_USES = 1000

/**
 * `POST` with a JSON list of uses: 204 once all are stored. Until then, a sender repeats its batch: so a
 * use that is malformed is set aside, and the others are taken.
 *
 * @throws TypeError with the path of an option that is unknown or wrong
 */
export function takeUses(
  provider: Provider,
  { audit, settings }: Pick<Parts, 'audit' | 'settings'>,
  options: TakeUsesOptions,
): TakeUses {
  const { clients, path } = resolve(TAKE_USES_RULES, options, 'takeUses')
  const findSender = senderOf(provider, clients)
  const take = usesTaker(audit)
  const problems = answerProblems('uses')
  const onlyPost = onlyMethods('POST')
  const readUses = bodyReader(MAX_BODY)

  const answer: Middleware = async (ctx) => {
    const sender = await findSender(ctx)
    await waitForCapacity({ audit, settings })
    const uses = await readUses(ctx)
    if (!Array.isArray(uses)) throw invalid('the body must be a list of uses')
    if (uses.length > MAX_USES) {
      throw new Problem(413, 'invalid_request', `the body must have at most ${MAX_USES} uses`)
    }
    const isStored = await endsWithin(settings.auditTimeout * 1000, take(sender, uses))
    if (!isStored) throw busy('the audit does not answer: send it again')
    if (audit.isClosed()) throw busy('this process ends: send it again')
    ctx.status = 204
  }
  const middleware: Middleware = async (ctx, next) => {
    if (ctx.path !== path) return next()
    await problems(ctx, () => onlyPost(ctx, () => answer(ctx, next)))
  }
  return Object.assign(middleware, { callback: () => requestListener(middleware, provider) })
}
