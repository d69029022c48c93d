import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/** The timeout of the last bytes, in milliseconds. The client may have stopped reading. */
const CLOSE_TIMEOUT_MS = 1000

/** Server-sent events, on a response that has all headers except the type. */
export class EventStream {
  readonly #response: ServerResponse
  readonly #ended = new AbortController()

  /** Sends the headers and a comment at once. */
  constructor(response: ServerResponse) {
    this.#response = response
    response.once('close', () => this.#ended.abort())
    response.on('error', () => this.end())
    // The client may have disconnected before this point.
    if (response.closed) this.#ended.abort()
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      // nginx, for example, buffers an answer unless this header forbids it.
      'X-Accel-Buffering': 'no',
    })
    this.comment('following')
  }

  /** Aborts when the stream ends, for any reason. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  /**
   * Resolves when there is capacity for more, or when the stream has ended.
   *
   * @param data any JSON value
   */
  async send(event: string, data: unknown): Promise<void> {
    await this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Sends a comment to keep the connection alive. Ends the stream if the client does not read. */
  comment(text: string): void {
    if (this.#response.writableNeedDrain) this.end()
    else void this.#write(`: ${text}\n\n`)
  }

  end(): void {
    if (this.#ended.signal.aborted) return
    this.#ended.abort()
    this.#response.end()
    setTimeout(() => this.#response.destroy(), CLOSE_TIMEOUT_MS).unref()
  }

  async #write(text: string): Promise<void> {
    if (this.#ended.signal.aborted || this.#response.write(text)) return
    await once(this.#response, 'drain', { signal: this.#ended.signal }).catch(() => {})
  }
}
