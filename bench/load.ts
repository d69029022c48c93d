import { hash } from 'node:crypto'
import { Pool } from 'undici'
import type { PartProcess } from './process.ts'
import { type RequestUse, useSince } from './use.ts'

export interface Target {
  readonly server: Pick<PartProcess, 'ask' | 'base'>
  readonly connections: number
  /**
   * The origin of the issuer.
   *
   * @defaultValue the server's
   */
  readonly publicBase?: string
}

/** One slice of load: requests per second, and the latency of each request. */
export interface Slice extends RequestUse {
  readonly perSecond: number
  /** Processor time of the server process for one request, in microseconds. */
  readonly cpu: number
  /** Milliseconds, ascending. */
  readonly latencies: readonly number[]
}

/** Of the management API. */
export const ALL_SCOPES = 'impersonate impersonations:read impersonations:end'

/** Impersonations on a page, by default. */
const PAGE_SIZE = 25
const BENCH_AUTHORIZATION = `Basic ${btoa('bench:bench-secret')}`
const FORM_HEADERS = {
  authorization: BENCH_AUTHORIZATION,
  'content-type': 'application/x-www-form-urlencoded',
}
const CLIENT_CREDENTIALS = new URLSearchParams({
  grant_type: 'client_credentials',
  resource: 'https://api.example.com',
  scope: 'read',
}).toString()

/** What the benchmark sends. Every answer is checked, because a fast error is not a result. */
export class Load {
  readonly #server: Target['server']
  readonly #publicBase: string
  readonly #pool: Pool
  readonly #connections: number
  #m2m = ''

  constructor({ server, connections, publicBase = server.base }: Target) {
    this.#server = server
    this.#publicBase = publicBase
    this.#connections = connections
    this.#pool = new Pool(server.base, { connections, pipelining: 1 })
  }

  /** Gets a token for the management API. */
  async open(scope = 'impersonate'): Promise<void> {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      resource: `${this.#publicBase}/api`,
      scope,
    })
    this.#m2m = String((await this.#token(form.toString())).access_token)
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  clientCredentials = async (): Promise<string> =>
    String((await this.#token(CLIENT_CREDENTIALS)).access_token)

  issue = async (): Promise<string> => {
    const body = '{"userId":"alice","context":{"ticketId":"SUP-123","reason":"billing"}}'
    return String((await this.#manage('POST', '/subject-tokens', 201, body)).subjectToken)
  }

  exchange = async (subjectToken: string): Promise<string> => {
    const body =
      'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange' +
      '&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token' +
      `&resource=https%3A%2F%2Fapi.example.com&scope=read&subject_token=${subjectToken}`
    return String((await this.#token(body)).access_token)
  }

  cycle = async (): Promise<string> => this.exchange(await this.issue())

  /** A page of what an operator has; it must be full. */
  list = async (actor: string): Promise<void> => {
    const { items } = await this.#manage('GET', `/impersonations?actor=${actor}`, 200)
    if (!Array.isArray(items) || items.length !== PAGE_SIZE) {
      throw new Error(`a page of ${actor} is not full: ${JSON.stringify(items)}`)
    }
  }

  get = (subjectToken: string): Promise<Answer> =>
    this.#manage('GET', `/impersonations/${idOf(subjectToken)}`, 200)

  end = (subjectToken: string): Promise<Answer> =>
    this.#manage('POST', `/impersonations/${idOf(subjectToken)}/end`, 200)

  /** Ends the impersonation with its own access token. */
  endCurrent = async (accessToken: string): Promise<void> => {
    const headers = { authorization: `Bearer ${accessToken}` }
    await this.#request('POST', '/oidc/impersonations/current/end', headers, 204)
  }

  /**
   * Runs `task` `count` times over all connections, with the number of the run. The garbage of
   * what the server did before is collected first, so that the order of slices does not matter.
   */
  async slice(count: number, task: (index: number) => Promise<unknown>): Promise<Slice> {
    const latencies: number[] = []
    let next = 0
    const worker = async () => {
      while (next < count) {
        const index = next
        next += 1
        const started = performance.now()
        await task(index)
        latencies.push(performance.now() - started)
      }
    }
    await this.#server.ask('gc', undefined)
    const useBefore = await this.#server.ask('use', undefined)
    const cpuBefore = await this.#server.ask('cpu', undefined)
    const started = performance.now()
    await Promise.all(Array.from({ length: this.#connections }, worker))
    const seconds = (performance.now() - started) / 1000
    const cpu = ((await this.#server.ask('cpu', undefined)) - cpuBefore) / count
    const use = useSince(useBefore, await this.#server.ask('use', undefined), count)
    latencies.sort((a, b) => a - b)
    return { perSecond: count / seconds, cpu, ...use, latencies }
  }

  /** Runs `task` over all connections until that time, and returns the number of runs. */
  async during(until: number, task: () => Promise<unknown>): Promise<number> {
    let count = 0
    const worker = async () => {
      while (Date.now() < until) {
        await task()
        count += 1
      }
    }
    await Promise.all(Array.from({ length: this.#connections }, worker))
    return count
  }

  #token(body: string): Promise<Answer> {
    return this.#request('POST', '/oidc/token', FORM_HEADERS, 200, body)
  }

  #manage(method: 'GET' | 'POST', path: string, expected: number, body?: string): Promise<Answer> {
    const headers = {
      authorization: `Bearer ${this.#m2m}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    return this.#request(method, `/api${path}`, headers, expected, body)
  }

  async #request(
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string>,
    expected: number,
    body?: string,
  ): Promise<Answer> {
    const response = await this.#pool.request({ method, path, headers, body: body ?? null })
    const text = await response.body.text()
    if (response.statusCode !== expected) {
      throw new Error(`${path} answered ${response.statusCode}: ${text}`)
    }
    return text === '' ? {} : JSON.parse(text)
  }
}

type Answer = Record<string, unknown>

function idOf(subjectToken: string): string {
  return hash('sha256', subjectToken, 'base64url')
}
