import { appendFileSync } from 'node:fs'
import { ServerResponse } from 'node:http'

/**
 * Loaded before one of the example's programs (`--import`): writes down every answer that any of
 * its servers gives, the ones inside included, to the file that ANSWERS_FILE names.
 */
const file = process.env.ANSWERS_FILE ?? ''
const { end } = ServerResponse.prototype

function record(this: ServerResponse, ...args: unknown[]): ServerResponse {
  const [chunk] = args
  const body = typeof chunk === 'string' || Buffer.isBuffer(chunk) ? String(chunk) : ''
  const headers = Object.fromEntries(Object.entries(this.getHeaders()))
  appendFileSync(file, `${JSON.stringify({ url: this.req.url, headers, body })}\n`)
  return Reflect.apply(end, this, args)
}

ServerResponse.prototype.end = record
