import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/** How long the last bytes may take to a client that may not be reading, in milliseconds. */
const PATIENCE = 1000

export interface ServerSentEvent {
  readonly id: string
  readonly event: string
  /** Anything that is JSON. */
  readonly data: unknown
}

/** Server-sent events, on a response whose headers are set but for the type. */
export class EventStream {
  readonly #response: ServerResponse
  readonly #ended = new AbortController()

  /** Sends the headers at once, and a comment with them. */
  constructor(response: ServerResponse) {
    this.#response = response
    response.once('close', () => this.#ended.abort())
    response.on('error', () => this.end())
    // It may have gone while its request was looked at.
    if (response.closed) this.#ended.abort()
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      // A proxy that collects bytes would hold back what is to be seen now: nginx.
      'X-Accel-Buffering': 'no',
    })
    this.comment('following')
  }

  /** Says when it is over, whoever ended it. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  /** Resolves when there is room for more, or it is over. */
  async send({ id, event, data }: ServerSentEvent): Promise<void> {
    await this.#write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** A sign of life, which says nothing. Ends the stream of a client that has stopped reading. */
  comment(text: string): void {
    if (this.#response.writableNeedDrain) this.end()
    else void this.#write(`: ${text}\n\n`)
  }

  end(): void {
    if (this.#ended.signal.aborted) return
    this.#ended.abort()
    this.#response.end()
    setTimeout(() => this.#response.destroy(), PATIENCE).unref()
  }

  async #write(text: string): Promise<void> {
    if (this.#ended.signal.aborted || this.#response.write(text)) return
    await once(this.#response, 'drain', { signal: this.#ended.signal }).catch(() => {})
  }
}
