import { type Answer, type Transaction, Violation } from './outcome.ts'
import type { Redaction } from './redaction.ts'

/** How long one answer may take, in milliseconds. */
const ANSWER_TIMEOUT_MS = 15_000
/** Of a body, in a report. */
const MAX_SHOWN_CHARACTERS = 4000

/** Form fields; `null` leaves a field out, a list repeats it. */
export type Form = Readonly<Record<string, string | readonly string[] | null>>

export interface Sent {
  /** In words, for reports. */
  readonly what: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | URLSearchParams
}

/** Where a request is sent, and what its receiver is told of its address. */
export type Route = (url: string) => {
  readonly url: string
  readonly forwarded: Readonly<Record<string, string>>
}

export type Send = (url: string, sent: Sent) => Promise<Answer>

export function formBody(form: Form): URLSearchParams {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(form)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === 'string') body.append(name, one)
    }
  }
  return body
}

/** RFC 6749 section 2.3.1: id and secret are form-encoded first. */
export function basic(id: string, secret: string): string {
  const [first, second] = [id, secret].map((one) =>
    new URLSearchParams({ one }).toString().slice('one='.length),
  )
  return `Basic ${btoa(`${first}:${second}`)}`
}

/**
 * Sends requests and keeps the last one, for reports. Follows no redirect.
 * @param signal aborts what is under way
 * @param route where a request goes in place of its address, with the headers of a proxy
 */
export function createSender(
  redaction: Redaction,
  signal: AbortSignal,
  route: Route = (url) => ({ url, forwarded: {} }),
): { readonly send: Send; readonly last: () => Transaction | undefined } {
  let last: Transaction | undefined
  const send: Send = async (address, { what, method = 'GET', headers = {}, body }) => {
    const { url, forwarded } = route(address)
    const wanted = { accept: 'application/json', ...forwarded, ...headers }
    const request = redaction.apply(
      textOf(`${method} ${url}`, withType(wanted, body), shownBody(body)),
    )
    try {
      const response = await fetch(url, {
        method,
        headers: wanted,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
        ...(body === undefined ? {} : { body }),
      })
      const { status, headers: received } = response
      const text = await response.text()
      const json = jsonMembers(text)
      for (const name of ['access_token', 'refresh_token', 'id_token']) {
        redaction.add(json[name], name.replace('_', ' '))
      }
      const transaction = {
        what,
        request,
        get answer() {
          return redaction.apply(textOf(`HTTP ${status}`, Object.fromEntries(received), text))
        },
      }
      last = transaction
      return { status, headers: received, text, json, transaction }
    } catch (error) {
      signal.throwIfAborted()
      const answer = redaction.apply(`no answer: ${causeOf(error)}`)
      last = { what, request, answer }
      throw new Violation(answer, { transaction: last })
    }
  }
  return { send, last: () => last }
}

/** What `fetch` failed of: its own message says no more than "fetch failed". */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof AggregateError) return error.cause.errors.map(causeOf).join('; ')
  return error.cause instanceof Error ? causeOf(error.cause) : error.message
}

/** The fields of a form stand in lines of their own, decoded. */
function shownBody(body: Sent['body'] = ''): string {
  if (typeof body === 'string') return body
  return [...body].map(([name, value]) => `${name}=${value}`).join('\n')
}

function withType(headers: Readonly<Record<string, string>>, body: Sent['body']) {
  if (!(body instanceof URLSearchParams)) return headers
  return { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
}

function textOf(line: string, headers: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const shown =
    body.length > MAX_SHOWN_CHARACTERS ? `${body.slice(0, MAX_SHOWN_CHARACTERS)} […]` : body
  return [line, ...lines, ...(shown === '' ? [] : ['', shown])].join('\n')
}

function jsonMembers(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : {}
  } catch {
    return {}
  }
}
