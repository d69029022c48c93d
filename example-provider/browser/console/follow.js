import { createParser } from '/assets/eventsource-parser/index.js'
import { SignedOut } from './operator.js'

/** How long to wait before the connection is tried again, in milliseconds: ever longer. */
const PAUSES = [1000, 2000, 5000, 10_000]

/**
 * Follows the audit until the signal aborts. EventSource cannot send a token but in the address, so
 * this reads the stream by itself; it goes on after the last entry it saw.
 *
 * @param {import('./operator.js').Operator} operator
 * @param {AbortSignal} signal
 * @param {object} listener
 * @param {(entry: import('./audit-entry.js').Entry) => void} listener.onEntry
 * @param {(isLive: boolean) => void} listener.onState
 * @throws {SignedOut}
 */
export async function follow(operator, signal, { onEntry, onState }) {
  /** @type {string | undefined} */
  let last
  let failures = 0
  const parser = createParser({
    onEvent({ id, event, data }) {
      if (event !== 'audit') return
      last = id ?? last
      onEntry(JSON.parse(data))
    },
  })

  while (!signal.aborted) {
    try {
      const query = last === undefined ? '' : `?${new URLSearchParams({ after: last })}`
      const { body } = await operator.stream(`/support/audit/stream${query}`, signal)
      if (!body) throw new Error('the answer has no body')
      failures = 0
      onState(true)
      await read(body, parser)
    } catch (error) {
      if (error instanceof SignedOut && !signal.aborted) throw error
    }
    parser.reset()
    if (signal.aborted) return
    onState(false)
    await pause(PAUSES[Math.min(failures, PAUSES.length - 1)] ?? 0, signal)
    failures += 1
  }
}

/**
 * @param {ReadableStream<Uint8Array>} body
 * @param {{ feed(chunk: string): void }} parser
 */
async function read(body, parser) {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    parser.feed(decoder.decode(value, { stream: true }))
  }
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
