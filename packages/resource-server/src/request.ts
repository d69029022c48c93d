/**
 * The members of a request that the guard reads. Node's `IncomingMessage` has them, and so have
 * the requests of Express and Fastify and the `Request` of the Fetch API.
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
   * Node's response to this request, as Express and Koa set it. The guard passes its status to
   * `onImpersonatedRequest`.
   */
  readonly res?: ApiResponse | undefined
  /** Node's connection. A request without a response, such as a WebSocket, ends with it. */
  readonly socket?: ApiSocket | undefined
  /** The signal of the Fetch API, which aborts if the client goes away. */
  readonly signal?: AbortSignal | undefined
}

/** The members of Node's socket that the guard reads. */
export interface ApiSocket {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}

/** The members of Node's response that the guard reads, in HTTP/1.1, HTTP/2 or a framework. */
export interface ApiResponse {
  readonly statusCode: number
  readonly headersSent: boolean
  /** Set in HTTP/1.1. */
  readonly writableFinished?: boolean
  /** Set in HTTP/1.1. */
  readonly destroyed?: boolean
  /** Set in HTTP/2. */
  readonly stream?: { readonly destroyed: boolean } | undefined
  once(event: 'close' | 'finish', listener: () => void): unknown
}

/** The credentials of a request. */
export interface Presented {
  /** The request itself; `undefined` if the guard got the `Authorization` header alone. */
  readonly request: ApiRequest | undefined
  readonly method: string | undefined
  /** Node's response to it, if known. */
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
 * @param known - members that a framework adds to its request
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

/** Checks for Node's response. A framework may set a `res` of its own. */
function isResponse(value: unknown): value is ApiResponse {
  return typeof value === 'object' && value !== null && 'once' in value && 'statusCode' in value
}

/** Checks whether the response is sent, or the client has gone. */
export function isOver({ writableFinished, destroyed, stream }: ApiResponse): boolean {
  return writableFinished === true || destroyed === true || stream?.destroyed === true
}

/** Calls `over` once a request is over, when its response or else its socket closes. */
export function whenOver({ request, response }: Presented, over: () => void): void {
  const { socket, signal } = request ?? {}
  if ((response && isOver(response)) || socket?.destroyed || signal?.aborted) over()
  const connection: Pick<ApiSocket, 'once'> | undefined = response ?? socket
  connection?.once('close', over)
  signal?.addEventListener('abort', over, { once: true })
}

/** Joins a repeated header as Node and `Headers` do. RFC 9110 §5.3. */
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

/** Parses the scheme, which is case-insensitive. RFC 9110 §11.1. */
function parseScheme(authorization: string): Presented['scheme'] {
  if (/^bearer(?: |$)/i.test(authorization)) return 'Bearer'
  return /^dpop(?: |$)/i.test(authorization) ? 'DPoP' : undefined
}

/** Reads the token; `undefined` if the header is malformed. RFC 6750 §2.1, RFC 9449 §7.1. */
export function accessTokenIn(authorization: string): string | undefined {
  return /^[a-z]+ +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
}
