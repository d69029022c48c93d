import { createParser } from '/assets/eventsource-parser/index.js'
import { SignedOut } from './operator.js'

/** The longest time without data, in milliseconds. The server sends something every 15 s. */
const SILENCE = 35_000
/**
 * Pauses before the next attempt to connect, in milliseconds. Each is longer than the one before.
 */
const PAUSES = [1000, 2000, 5000, 10_000]

/**
 * Follows the audit until the signal aborts. EventSource can send a token only in the URL, so this
 * function reads the stream itself. After an interruption, it continues after the last entry.
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
    const silence = watchdog(SILENCE)
    try {
      const query = last === undefined ? '' : `?${new URLSearchParams({ after: last })}`
      const { body } = await operator.stream(
        `/support/audit/stream${query}`,
        AbortSignal.any([signal, silence.signal]),
      )
      if (!body) throw new Error('the answer has no body')
      failures = 0
      onState(true)
      await read(body, parser, silence.heard)
    } catch (error) {
      if (error instanceof SignedOut && !signal.aborted) throw error
    } finally {
      silence.stop()
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
 * @param {() => void} heard
 */
async function read(body, parser, heard) {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    heard()
    parser.feed(decoder.decode(value, { stream: true }))
  }
}

/**
 * Aborts after this time without data: a connection can break without an error.
 *
 * @param {number} milliseconds
 */
function watchdog(milliseconds) {
  const controller = new AbortController()
  const begin = () => setTimeout(() => controller.abort(), milliseconds)
  let timer = begin()
  return {
    signal: controller.signal,
    heard() {
      clearTimeout(timer)
      timer = begin()
    },
    stop: () => clearTimeout(timer),
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
