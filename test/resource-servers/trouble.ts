import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { JWK } from 'jose'
import type { Context, Next } from 'koa'

/** Answers of the provider to a request for its keys or a list. */
export type Behaviour = 'answers' | 'fails' | 'hangs' | 'drips' | 'floods'

type Part = 'keys' | 'list'

export type Trouble = ReturnType<typeof trouble>

/** Trouble of a provider, which comes when a test says so. */
export function trouble() {
  const asked = { keys: 0, list: 0 }
  const how: Record<Part, Behaviour> = { keys: 'answers', list: 'answers' }
  const published: JWK[] = []
  let isOver = Promise.withResolvers<void>()
  let givenUp = 0
  return {
    /** In front of the provider. */
    async middleware(ctx: Context, next: Next) {
      const isList = ctx.path.startsWith('/oidc/status-lists/')
      if (!isList && ctx.path !== '/oidc/jwks') return next()
      const part = isList ? 'list' : 'keys'
      asked[part] += 1
      ctx.res.once('close', () => {
        if (!ctx.res.writableFinished) givenUp += 1
      })
      if (how[part] === 'hangs') await isOver.promise
      if (how[part] === 'fails') {
        ctx.status = 500
        return
      }
      await next()
      if (!isList) ctx.body = { keys: [...Object(ctx.body).keys, ...published] }
      const isDripping = how[part] === 'drips'
      if (!isDripping && how[part] !== 'floods') return
      const bytes = isDripping ? dripping(Buffer.from(ctx.body as Buffer)) : endless()
      ctx.respond = false
      ctx.remove('Content-Length')
      // It rejects when the other side goes away, which a test waits for.
      await pipeline(Readable.from(bytes), ctx.res).catch(() => {})
    },
    /** Sets the answer from now on. What hangs already is answered when it answers again. */
    behaves(part: Part, behaviour: Behaviour) {
      how[part] = behaviour
      if (behaviour === 'hangs') return
      isOver.resolve()
      isOver = Promise.withResolvers()
    },
    /** Publishes one more key. */
    publish: (key: JWK) => published.push(key),
    /** The number of requests for the part. */
    asked: (part: Part) => asked[part],
    /** The number of requests that the other side has given up. */
    givenUp: () => givenUp,
  }
}

async function* dripping(bytes: Buffer) {
  for (const byte of bytes) {
    yield Buffer.of(byte)
    await wait(100)
  }
}

function* endless() {
  while (true) yield Buffer.alloc(65_536, ' ')
}
