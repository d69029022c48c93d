import type { Context, Middleware } from 'koa'
import type { Provider, RequestListener } from 'oidc-provider-impersonation'
import {
  BoundedMap,
  endsWithin,
  list,
  requestListener,
  resolve,
  text,
} from 'oidc-provider-impersonation/siblings'
import { digestOf } from 'oidc-provider-impersonation-verify/chain'
import {
  escapeControls,
  reasonOf,
  type ToldRequest,
  USED_EVENT,
} from 'oidc-provider-impersonation-verify/format'
import { log } from '../../../kernel/log-line.ts'
import { pathRule } from '../../../kernel/option-rules.ts'
import { setAsideEntry } from '../../../ledger/recording/compose.ts'
import { parseGap, parseUse } from '../../../ledger/recording/parse-entry.ts'
import type { Recorder } from '../../../ledger/recording/recorder.ts'
import { waitForCapacity } from '../../../web/audit.ts'
import { readJson } from '../../../web/http/json-body.ts'
import {
  answerProblem,
  assertMethod,
  busy,
  invalid,
  Problem,
  problemOf,
} from '../../../web/http/problem.ts'
import type { Parts } from '../../../web/parts.ts'
import { senderOf } from '../../../web/sign-in/sender.ts'

export interface TakeUsesOptions {
  /** The ids of the clients that may send: at least one. Each has the grant `client_credentials`. */
  readonly clients: readonly string[]
  /** The path that takes uses. Other requests are passed on. @defaultValue '/uses' */
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

/** The most uses that are remembered, so that a batch that comes again is stored once. */
const MAX_USES_REMEMBERED = 10_000
/** The longest malformed use that the log has, in characters. */
const MAX_LINE = 65_536

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

  /** Each use that was told, by its name. */
  const known = new BoundedMap<string, Promise<void>>(MAX_USES_REMEMBERED)

  function once(name: readonly string[], record: () => Promise<void>): Promise<void> {
    const key = JSON.stringify(name)
    const recorded = known.get(key) ?? record()
    known.set(key, recorded)
    return recorded
  }

  /** Stores a use, or the number of those that the sender had to drop. Sets aside what is malformed (I17). */
  function take(client: string, reported: unknown): Promise<void> {
    const setAside = (what: { digest?: string; why: string }, time?: number) =>
      audit.record({ ...setAsideEntry({ event: USED_EVENT, ...what }, time), client })
    try {
      if (typeof reported === 'object' && reported !== null && 'dropped' in reported) {
        const { dropped, timeMs, useId } = parseGap(reported)
        const why = `the sender had to drop ${dropped} uses`
        return once([client, useId], () => setAside({ why }, timeMs))
      }
      const use = parseUse(reported)
      return once([client, use.useId], () => audit.recordUse(use))
    } catch (error) {
      const why = reasonOf(error)
      const line = escapeControls(
        JSON.stringify({ event: USED_EVENT, client, malformed: reported }),
      )
      const digest = digestOf(line)
      return once([client, 'malformed', digest], () => {
        if (line.length <= MAX_LINE) console.log(line)
        log(`a use that ${client} tells is set aside: ${why}`)
        return setAside({ digest, why })
      })
    }
  }

  async function answer(ctx: Context): Promise<void> {
    assertMethod(ctx, 'POST')
    const sender = await findSender(ctx)
    await waitForCapacity({ audit, settings })
    const uses = await readJson(ctx, MAX_BODY)
    if (!Array.isArray(uses)) throw invalid('the body must be a list of uses')
    if (uses.length > MAX_USES) {
      throw new Problem(413, 'invalid_request', `the body must have at most ${MAX_USES} uses`)
    }
    const taken = Promise.all(uses.map((each) => take(sender, each)))
    const isStored = await endsWithin(settings.auditTimeout * 1000, taken)
    if (!isStored) throw busy('the audit does not answer: send it again')
    if (audit.isClosed()) throw busy('this process ends: send it again')
    ctx.status = 204
  }
  const middleware: Middleware = async (ctx, next) => {
    if (ctx.path !== path) return next()
    ctx.set('Cache-Control', 'no-store')
    try {
      await answer(ctx)
    } catch (error) {
      answerProblem(ctx, { realm: 'uses', isForStaff: true }, problemOf(error))
    }
  }
  return Object.assign(middleware, { callback: () => requestListener(middleware, provider) })
}

/**
 * `onImpersonatedRequest` of a guard: records what operators did. One bad entry stops nothing (I17): rejects
 * with a TypeError that names the member where it is no use, and records nothing.
 */
export function useRecorder({ recordUse }: Pick<Recorder, 'recordUse'>) {
  return async (use: ToldRequest): Promise<void> => recordUse(parseUse(use))
}
