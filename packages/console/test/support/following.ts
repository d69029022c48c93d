import { expect } from 'chai'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { ChangedEvent } from '../../src/web/answers.ts'
import type { Deployment } from './deployment.ts'

export type Following = Awaited<ReturnType<typeof follow>>

/** The changes that a person is told of. */
export async function follow({ consoleUrl, tokenOf }: Deployment, who: string) {
  const gone = new AbortController()
  const response = await fetch(`${consoleUrl}/stream`, {
    headers: { authorization: `Bearer ${await tokenOf(who)}` },
    signal: gone.signal,
  })
  const bytes: ReadableStream = response.body ?? new ReadableStream()
  const events = bytes
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
  const reader = events.getReader()
  return {
    status: response.status,
    /** The next one. Rejects when the stream ends. */
    async next(): Promise<ChangedEvent> {
      const { value } = await reader.read()
      if (!value) throw new Error('the stream has ended')
      expect(value.event).to.equal('changed')
      return JSON.parse(value.data)
    },
    /** Reads on until the server ends the stream. */
    async end() {
      // Aborted below, or broken off by the server.
      const broken = { done: true }
      while (!(await reader.read().catch(() => broken)).done);
    },
    async [Symbol.asyncDispose]() {
      gone.abort()
    },
  }
}
