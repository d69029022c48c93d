import { createParser } from 'eventsource-parser'
import type { ChangedEvent } from '../answers.ts'
import { ApiProblem } from './session.ts'
import { SIGNED_IN_AGAIN } from './sign-in.ts'

/** The longest time without data, in milliseconds: the server sends a comment more often. */
const SILENCE_MS = 45_000
/** Pauses before the next attempt to connect, in milliseconds. */
const CONNECT_PAUSES_MS: readonly number[] = [500, 1000, 2000, 5000, 10_000, 30_000]

/**
 * Follows the stream of the server until the signal aborts, and connects again after each
 * interruption. EventSource cannot send a token but in the address, so this reads the stream itself.
 *
 * @param connect throws where there is no stream
 * @param onChange after an interruption, it is told of a change of anything
 * @param onState is told whether the server answers
 */
export async function follow(
  connect: (signal: AbortSignal) => Promise<Response>,
  signal: AbortSignal,
  onChange: (change: Partial<ChangedEvent>) => void,
  onState: (isLive: boolean) => void,
): Promise<void> {
  let failures = 0
  let isFirst = true
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === 'changed') onChange(JSON.parse(data))
    },
  })
  while (!signal.aborted) {
    const silence = watchdog()
    let isRefused = false
    try {
      const { body } = await connect(AbortSignal.any([signal, silence.signal]))
      if (!body) throw new Error('the answer has no body')
      failures = 0
      onState(true)
      if (!isFirst) onChange({ ids: [] })
      isFirst = false
      await readEvents(body, (text) => {
        silence.heard()
        parser.feed(text)
      })
    } catch (error) {
      // The next attempt tells whether the server is back. One that refuses is not away.
      isRefused = error instanceof ApiProblem && error.status < 500
    } finally {
      silence.stop()
    }
    parser.reset()
    if (!signal.aborted) onState(isRefused)
    const longest = CONNECT_PAUSES_MS[Math.min(failures, CONNECT_PAUSES_MS.length - 1)] ?? 0
    // Not all browsers come back at once after a restart of the server.
    await pause(longest * (0.5 + Math.random() / 2), signal)
    failures += 1
  }
}

async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  feed: (text: string) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    feed(value)
  }
}

/** Aborts after a time without data: a connection can break without an error. */
function watchdog() {
  const controller = new AbortController()
  const begin = () => setTimeout(() => controller.abort(), SILENCE_MS)
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

/** Ends early where the browser comes back to the network, or the person to this tab. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = new AbortController()
    const finish = () => {
      clearTimeout(timer)
      done.abort()
      resolve()
    }
    const timer = setTimeout(finish, milliseconds)
    addEventListener('online', finish, { signal: done.signal })
    addEventListener(SIGNED_IN_AGAIN, finish, { signal: done.signal })
    signal.addEventListener('abort', finish, { signal: done.signal })
  })
}
