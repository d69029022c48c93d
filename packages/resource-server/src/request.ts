/**
 * What the guard reads of a request. Node's `IncomingMessage` is one, and so are the requests of
 * Express and Fastify and the `Request` of the Fetch API.
 */
export interface ApiRequest {
  readonly method?: string | undefined
  /** The request target, such as `/orders?page=2`, or an absolute URL. */
  readonly url?: string | undefined
  /** The value of `url` before a framework removed the path of a mount. */
  readonly originalUrl?: string | undefined
  /** Names in lower case, as Node has them, or `Headers`. */
  readonly headers:
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | { get(name: string): string | null }
  /**
   * Node's response to this request, as Express and Koa set it. By it the guard tells
   * `onImpersonatedRequest` the status.
   */
  readonly res?: ApiResponse | undefined
  /** Node's connection. With it ends what a request has no response for, such as a WebSocket. */
  readonly socket?: ApiSocket | undefined
  /** Of the Fetch API: aborts if the client goes away. */
  readonly signal?: AbortSignal | undefined
}

/** What the guard reads of Node's socket. */
export interface ApiSocket {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}

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

/** What a request shows of its caller. */
export interface Presented {
  /** The request itself; `undefined` where the guard was given the `Authorization` header alone. */
  readonly request: ApiRequest | undefined
  readonly method: string | undefined
  /** Node's response to it, where it is known. */
  readonly response: ApiResponse | undefined
  /** The request target as the client sent it. */
  readonly target: string | undefined
  readonly scheme: 'Bearer' | 'DPoP' | undefined
  readonly authorization: string
  /** The `DPoP` header. */
  readonly proof: string | undefined
}

/**
 * Reads a request, or an `Authorization` header alone.
 *
 * @param known - what a framework tells beside its request
 */
export function presentedBy(
  shown: ApiRequest | string | undefined,
  known: { readonly target?: string; readonly response?: ApiResponse } = {},
): Presented {
  const request = typeof shown === 'object' && shown !== null ? shown : undefined
  const authorization = typeof shown === 'string' ? shown : header(request, 'authorization')
  return {
    request,
    response: known.response ?? (isResponse(request?.res) ? request.res : undefined),
    method: request?.method,
    target: known.target ?? request?.originalUrl ?? request?.url,
    scheme: parseScheme(authorization ?? ''),
    authorization: authorization ?? '',
    proof: header(request, 'dpop'),
  }
}

/** Whether a value, such as a `res` that a framework sets for itself, is Node's response. */
function isResponse(value: unknown): value is ApiResponse {
  return typeof value === 'object' && value !== null && 'once' in value && 'statusCode' in value
}

/** Whether the answer is sent, or the client has gone. */
export function isOver({ writableFinished, destroyed, stream }: ApiResponse): boolean {
  return writableFinished === true || destroyed === true || stream?.destroyed === true
}

/** Calls `over` once a request is over: by the close of its response, or else of its socket. */
export function whenOver({ request, response }: Presented, over: () => void): void {
  const { socket, signal } = request ?? {}
  if ((response && isOver(response)) || socket?.destroyed || signal?.aborted) over()
  const connection: Pick<ApiSocket, 'once'> | undefined = response ?? socket
  connection?.once('close', over)
  signal?.addEventListener('abort', over, { once: true })
}

/** A repeated header is put together as Node and `Headers` do it, RFC 9110 §5.3. */
function header(request: ApiRequest | undefined, name: string): string | undefined {
  const headers = request?.headers ?? {}
  if (isHeaders(headers)) return headers.get(name) ?? undefined
  const value = headers[name]
  return value === undefined || typeof value === 'string' ? value : value.join(', ')
}

function isHeaders(
  headers: ApiRequest['headers'],
): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}

/** RFC 9110 §11.1: the scheme is case-insensitive. */
function parseScheme(authorization: string): Presented['scheme'] {
  if (/^bearer(?: |$)/i.test(authorization)) return 'Bearer'
  return /^dpop(?: |$)/i.test(authorization) ? 'DPoP' : undefined
}

/** RFC 6750 §2.1, RFC 9449 §7.1; `undefined` where the header is malformed. */
export function accessTokenIn(authorization: string): string | undefined {
  return /^[a-z]+ +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
}
