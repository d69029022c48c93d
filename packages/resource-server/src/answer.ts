/** What the guard reads of Node's response: that of HTTP/1.1, of HTTP/2, or of a framework. */
export interface ApiResponse {
  readonly statusCode: number
  readonly headersSent: boolean
  /** Of HTTP/1.1. */
  readonly writableFinished?: boolean
  /** Of HTTP/1.1. */
  readonly destroyed?: boolean
  /** Of HTTP/2. */
  readonly stream?: { readonly destroyed: boolean } | undefined
  once(event: 'close' | 'finish', listener: () => void): unknown
}

/** Whether a value, such as a `res` that a framework sets for itself, is Node's response. */
export function isResponse(value: unknown): value is ApiResponse {
  return typeof value === 'object' && value !== null && 'once' in value && 'statusCode' in value
}

/**
 * Does something once, after the answer is sent or the client has gone, and never before the caller
 * goes on. `'close'` alone would do for Node's own responses; others may lack it.
 *
 * @param response where it is `undefined`, there is nothing to wait for
 */
export function afterAnswer(response: ApiResponse | undefined, act: () => void): void {
  if (!response || isOver(response)) {
    setImmediate(act)
    return
  }
  let isDone = false
  const once = () => {
    if (!isDone) act()
    isDone = true
  }
  response.once('finish', once)
  response.once('close', once)
}

/** The status that the client got; `undefined` where it got none. */
export function statusOf(response: ApiResponse | undefined): number | undefined {
  return response?.headersSent ? response.statusCode : undefined
}

function isOver({ writableFinished, destroyed, stream }: ApiResponse): boolean {
  return writableFinished === true || destroyed === true || stream?.destroyed === true
}
