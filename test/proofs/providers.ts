import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { Pool } from 'undici'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { basic, signingKey } from '../support/deployment.ts'
import { MANAGEMENT, ORDERS, type ProcessOptions } from './provider-process.ts'

/** The answer of a provider: the body as it was sent, since losers must not differ in a byte. */
export interface Answer {
  readonly status: number
  readonly body: string
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** The answer to every refused subject token, whatever the reason (I6). */
export const REFUSED: Answer = {
  status: 400,
  body: '{"error":"invalid_request","error_description":"subject token is invalid"}',
}

/** A provider in a process of its own, and what is sent to it. */
export class ProviderProcess {
  readonly child: ChildProcess
  readonly base: string
  readonly #pool: Pool
  readonly #ended: Promise<unknown>
  #m2m = ''

  constructor(child: ChildProcess, base: string) {
    this.child = child
    this.base = base
    this.#ended = once(child, 'exit')
    // without an answer after a minute, the proof fails and does not hang
    this.#pool = new Pool(base, { connections: 100, headersTimeout: 60_000, bodyTimeout: 60_000 })
  }

  async open(): Promise<void> {
    const { body } = await this.#post(
      '/oidc/token',
      { ...FORM, ...basic('backend', 'backend-secret') },
      {
        grant_type: 'client_credentials',
        resource: MANAGEMENT,
        scope: 'impersonate impersonations:end',
      },
    )
    this.#m2m = JSON.parse(body).access_token
    expect(this.#m2m, 'a machine-to-machine JWT').to.contain('.')
  }

  issue(userId = 'alice'): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.#m2m}`, 'content-type': 'application/json' }
    return this.#post('/api/subject-tokens', headers, JSON.stringify({ userId }))
  }

  async subjectToken(userId?: string): Promise<string> {
    const { status, body } = await this.issue(userId)
    expect(status, body).to.equal(201)
    return JSON.parse(body).subjectToken
  }

  async subjectTokens(count: number): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, () => this.subjectToken()))
  }

  /** An access token of an operator. */
  async actorToken(operator: string): Promise<string> {
    return (
      await this.#pool.request({ method: 'GET', path: `/actor-token/${operator}` })
    ).body.text()
  }

  exchange(subjectToken: string, actorToken?: string): Promise<Answer> {
    return this.#post('/oidc/token', FORM, {
      ...(actorToken === undefined
        ? {}
        : { actor_token: actorToken, actor_token_type: ACCESS_TOKEN_TYPE }),
      grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
      client_id: 'console',
      subject_token: subjectToken,
      subject_token_type: ACCESS_TOKEN_TYPE,
      resource: ORDERS,
      scope: 'orders:read',
    })
  }

  /** Ends what matches, as the support back end does. */
  end(path: string, filter: object = {}): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.#m2m}`, 'content-type': 'application/json' }
    return this.#post(`/api/impersonations/${path}`, headers, JSON.stringify(filter))
  }

  /** Lets requests end, closes the storage, ends the process. */
  async stop(): Promise<void> {
    await this.#pool.destroy()
    if (this.child.connected) this.child.send('stop')
    await this.#ended
  }

  /** As `kill -9`. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.#ended
    await this.#pool.destroy()
  }

  async #post(
    path: string,
    headers: Record<string, string>,
    body: string | Record<string, string>,
  ): Promise<Answer> {
    const response = await this.#pool.request({
      method: 'POST',
      path,
      headers,
      body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
    })
    return { status: response.statusCode, body: await response.body.text() }
  }
}

/** Starts a provider; all of one run have the same issuer, key and clients. */
export async function startProvider(
  options: Omit<ProcessOptions, 'signingKey'>,
): Promise<ProviderProcess> {
  const child = fork(
    join(import.meta.dirname, 'provider-process.ts'),
    [JSON.stringify({ signingKey, ...options } satisfies ProcessOptions)],
    { execArgv: ['--no-warnings'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  )
  const [base] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => expect.fail(`a provider process ended with ${code}`)),
  ])
  const provider = new ProviderProcess(child, base)
  await provider.open()
  return provider
}

/** Returns whether an access token was issued. */
export function succeeded({ status, body }: Answer): boolean {
  return status === 200 && typeof JSON.parse(body).access_token === 'string'
}
