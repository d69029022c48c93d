import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { reasonOf } from 'oidc-provider-impersonation-verify/format'
import { recordNow, settle } from '../audit.ts'
import type { Call } from '../parts.ts'
import { assertOwnLink } from '../sign-in/origin.ts'
import { slots } from '../slots.ts'
import { logTrouble, orUnavailable } from './problem.ts'

/** The largest number of exports at a time in one process, and of one person. */
const inSlot = slots(10, 2)

/**
 * Sends an export in parts. It is an entry of the audit, which is stored first.
 *
 * @param name of the file: `.csv`, or else JSON Lines
 * @param context what the entry says about it
 */
export async function sendExport(
  call: Call,
  name: string,
  context: Readonly<Record<string, unknown>>,
  open: () => AsyncGenerator<string>,
): Promise<void> {
  const { audit, caller, ctx } = call
  if (ctx.get('Authorization') === '') assertOwnLink(ctx)
  await inSlot(caller.id, async () => {
    // No part of the audit leaves before the audit says so.
    await recordNow(call, { event: 'support.exported', context })
    await settle(audit)
    const parts = open()
    // Trouble at the start is still a 503.
    const first = await orUnavailable('the audit cannot be read now', async () => [
      await parts.next(),
      await parts.next(),
    ])
    ctx.respond = false
    ctx.res.writeHead(200, {
      'Content-Type': `${name.endsWith('.csv') ? 'text/csv' : 'application/jsonl'}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${name}"`,
    })
    await stream(call, async function* () {
      for (const { value, done } of first) if (!done) yield value
      yield* parts
    })
  })
}

/** With back pressure: the next part is read when the client has taken the one before. */
async function stream({ ctx, closing }: Call, parts: () => AsyncGenerator<string>): Promise<void> {
  const reset = () => resetOld(ctx.res)
  const all = async function* () {
    try {
      yield* parts()
    } catch (error) {
      reset()
      throw error
    }
  }
  closing.addEventListener('abort', reset, { once: true })
  try {
    await pipeline(Readable.from(all(), { objectMode: false }), ctx.res, { signal: closing })
  } catch (error) {
    // The client may have gone away.
    if (Object(error).code === 'ERR_STREAM_PREMATURE_CLOSE') return
    logTrouble(ctx, `the export broke off: ${reasonOf(error)}`)
  } finally {
    closing.removeEventListener('abort', reset)
  }
}

/**
 * Resets a connection whose export failed, because the client must not take a part for all of it.
 * An answer of HTTP/1.0, which proxies such as nginx ask for, ends where the connection ends: only a
 * reset tells that it is not whole.
 */
function resetOld(response: ServerResponse): void {
  if (response.req.httpVersion !== '1.0') return
  try {
    response.socket?.resetAndDestroy()
  } catch {
    // There is no reset of what is no TCP connection, such as TLS or a pipe.
  }
}

/** Members of a filter that can name a customer: ids, and what a person typed. */
const NAMING: readonly string[] = ['customer', 'person', 'text', 'ticket']

/** Checks whether a filter can name a customer. */
export function isNaming(filter: object): boolean {
  return Object.entries(filter).some(
    ([name, value]) => NAMING.includes(name) && value !== undefined,
  )
}

/**
 * A filter as the entry of an export has it, which no erasure removes: `true` in the place of what can name a
 * customer.
 */
export function namelessFilter(filter: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [name, NAMING.includes(name) || value]),
  )
}
