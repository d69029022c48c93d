import type { Context } from 'koa'
import { bearerToken } from '../http/bearer.ts'
import { reasonOf } from '../reason.ts'
import { placed } from './audit.ts'
import { EventStream } from './event-stream.ts'
import { findOperator } from './operator.ts'
import type { BackendOptions } from './options.ts'
import { places, tooMany } from './places.ts'
import { parseQuery } from './query.ts'

const HEARTBEAT = 15_000

/** `GET /support/audit/stream`: sends events as they happen. */
export function auditStream(
  options: BackendOptions,
): (ctx: Context, operatorId: string) => Promise<void> {
  const { audit, closing, heartbeat = HEARTBEAT } = options
  const { take } = places()

  /** Returns `false` if the provider cannot be asked about the token. */
  async function isStillGood(token: string): Promise<boolean> {
    try {
      await findOperator(token, options)
      return true
    } catch {
      return false
    }
  }

  async function follow(ctx: Context, cursor: string | undefined): Promise<void> {
    const token = bearerToken(ctx)
    ctx.respond = false
    const stream = new EventStream(ctx.res)
    const end = () => stream.end()
    closing?.addEventListener('abort', end, { once: true })
    if (closing?.aborted) end()
    const timer = setInterval(async () => {
      if (await isStillGood(token)) stream.comment('still here')
      else end()
    }, heartbeat).unref()
    try {
      for await (const stored of audit.feed.follow(cursor, stream.ended)) {
        await stream.send({ id: stored.cursor, event: 'audit', data: placed(stored) })
      }
    } catch (error) {
      console.error(`${ctx.method} ${ctx.path}: ${reasonOf(error)}`)
    } finally {
      clearInterval(timer)
      closing?.removeEventListener('abort', end)
      end()
    }
  }

  return async (ctx, operatorId) => {
    const after = parseQuery(ctx.querystring, 'after').get('after')
    if (closing?.aborted) throw tooMany()
    const giveBack = take(operatorId)
    try {
      // Read before the first byte is sent, so that a malformed cursor still gets a 400.
      const [newest] = await (after === undefined
        ? audit.store.before(undefined, 1)
        : audit.store.after(after, 1).then(() => []))
      await follow(ctx, after ?? newest?.cursor)
    } finally {
      giveBack()
    }
  }
}
