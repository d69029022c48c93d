import { Pool } from 'undici'

export interface Target {
  readonly base: string
  readonly connections: number
}

/** One slice of load: requests per second, and the latency of each request. */
export interface Slice {
  readonly perSecond: number
  /** Milliseconds, ascending. */
  readonly latencies: readonly number[]
}

const AUTHORIZATION = `Basic ${btoa('bench:bench-secret')}`
const FORM = { authorization: AUTHORIZATION, 'content-type': 'application/x-www-form-urlencoded' }
const CLIENT_CREDENTIALS = new URLSearchParams({
  grant_type: 'client_credentials',
  resource: 'https://api.example.com',
  scope: 'read',
}).toString()

/** What the benchmark sends. Every answer is checked, because a fast error is not a result. */
export class Load {
  readonly #base: string
  readonly #pool: Pool
  readonly #connections: number
  #m2m = ''

  constructor({ base, connections }: Target) {
    this.#base = base
    this.#connections = connections
    this.#pool = new Pool(base, { connections, pipelining: 1 })
  }

  async open(): Promise<void> {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      resource: `${this.#base}/api`,
      scope: 'impersonate',
    })
    this.#m2m = String((await this.#post('/oidc/token', FORM, form.toString(), 200)).access_token)
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  clientCredentials = async (): Promise<void> => {
    await this.#post('/oidc/token', FORM, CLIENT_CREDENTIALS, 200)
  }

  issue = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${this.#m2m}`, 'content-type': 'application/json' }
    const body = '{"userId":"alice","context":{"ticketId":"SUP-123","reason":"billing"}}'
    return String((await this.#post('/api/subject-tokens', headers, body, 201)).subjectToken)
  }

  exchange = async (subjectToken: string): Promise<void> => {
    const body =
      'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange' +
      '&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token' +
      `&resource=https%3A%2F%2Fapi.example.com&scope=read&subject_token=${subjectToken}`
    await this.#post('/oidc/token', FORM, body, 200)
  }

  cycle = async (): Promise<void> => this.exchange(await this.issue())

  /** Runs `task` `count` times over all connections; `inputs` gives each run its own input. */
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
    const started = performance.now()
    await Promise.all(Array.from({ length: this.#connections }, worker))
    const seconds = (performance.now() - started) / 1000
    return { perSecond: count / seconds, latencies: latencies.sort((a, b) => a - b) }
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

  async #post(
    path: string,
    headers: Record<string, string>,
    body: string,
    expected: number,
  ): Promise<Record<string, unknown>> {
    const response = await this.#pool.request({ method: 'POST', path, headers, body })
    const json: unknown = await response.body.json()
    if (response.statusCode !== expected || typeof json !== 'object' || json === null) {
      throw new Error(`${path} answered ${response.statusCode}: ${JSON.stringify(json)}`)
    }
    return { ...json }
  }
}
