import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { escapeControls, reasonOf } from 'oidc-provider-impersonation-verify/format'
import { recordNow, settle } from '../audit.ts'
import type { Call } from '../parts.ts'
import { assertOwnLink } from '../sign-in/origin.ts'
import { slots } from '../slots.ts'
import { orUnavailable } from './problem.ts'

/** The largest number of exports at a time in one process, and of one person. */
const { take } = slots(10, 2)
/** The number of parts that are read before the answer begins, so that trouble at the start is still a 503. */
const FIRST_PARTS = 2

export type ExportFormat = 'csv' | 'jsonl'

const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
}

/**
 * Sends an export in parts. It is an entry of the audit, which is stored first.
 *
 * @param context what the entry says about it
 */
export async function sendExport(
  call: Call,
  name: string,
  format: ExportFormat,
  context: Readonly<Record<string, unknown>>,
  open: () => AsyncGenerator<string>,
): Promise<void> {
  const { audit, caller, ctx } = call
  if (ctx.get('Authorization') === '') assertOwnLink(ctx)
  const giveBack = take(caller.id)
  try {
    // No part of the audit leaves before the audit says so.
    await recordNow(call, { event: 'support.exported', context })
    await settle(audit)
    const parts = open()
    const first: string[] = []
    await orUnavailable('the audit cannot be read now', async () => {
      for (let index = 0; index < FIRST_PARTS; index += 1) {
        const { value, done } = await parts.next()
        if (!done) first.push(value)
      }
    })
    await stream(call, name, CONTENT_TYPES[format], first, parts)
  } finally {
    giveBack()
  }
}

/** With back pressure: the next part is read when the client has taken the one before. */
async function stream(
  { ctx, closing }: Call,
  name: string,
  type: string,
  first: readonly string[],
  parts: AsyncGenerator<string>,
): Promise<void> {
  ctx.respond = false
  ctx.res.writeHead(200, {
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="${name}"`,
  })
  const all = async function* () {
    try {
      yield* first
      yield* parts
    } catch (error) {
      resetOld(ctx.res)
      throw error
    }
  }
  const reset = () => resetOld(ctx.res)
  closing.addEventListener('abort', reset, { once: true })
  try {
    await pipeline(Readable.from(all(), { objectMode: false }), ctx.res, { signal: closing })
  } catch (error) {
    if (isGone(error)) return
    const line = `support console: ${ctx.method} ${ctx.path}: the export broke off: ${reasonOf(error)}`
    console.error(escapeControls(line))
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
const NAMING = ['customer', 'person', 'text', 'ticket'] as const

/** Checks whether a filter can name a customer. */
export function isNaming(
  filter: Readonly<Partial<Record<(typeof NAMING)[number], unknown>>>,
): boolean {
  return NAMING.some((member) => filter[member] !== undefined)
}

/**
 * A filter as the entry of an export has it, which no erasure removes: `true` in the place of what can name a
 * customer.
 */
export function namelessFilter(filter: object): Readonly<Record<string, unknown>> {
  const hidden: ReadonlySet<string> = new Set(NAMING)
  return Object.fromEntries(
    Object.entries(filter).map(([member, value]) => [member, hidden.has(member) || value]),
  )
}

/** The client went away. */
function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}
