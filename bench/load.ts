import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Pool } from 'undici'

export const SCENARIOS = ['client_credentials', 'issue', 'exchange', 'full cycle'] as const
export type Scenario = (typeof SCENARIOS)[number]

/** One slice of load. */
export interface Slice {
  /** Processor time of the server process for one request, in microseconds. */
  readonly cpu: number
  readonly perSecond: number
}

/** A provider in its own process, and the requests to it. */
export interface Server {
  /** Sends `count` requests over so many connections. An exchange needs an issue before. */
  measure(scenario: Scenario, connections: number, count: number): Promise<Slice>
  stop(): Promise<void>
}

const FORM_HEADERS = {
  authorization: `Basic ${btoa('bench:bench-secret')}`,
  'content-type': 'application/x-www-form-urlencoded',
}
const CLIENT_CREDENTIALS =
  'grant_type=client_credentials&resource=https%3A%2F%2Fapi.example.com&scope=read'
const EXCHANGE =
  'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange' +
  '&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token' +
  '&resource=https%3A%2F%2Fapi.example.com&scope=read&subject_token='
const ISSUE = '{"userId":"alice","context":{"ticketId":"SUP-123","reason":"billing"}}'

/** @param checkout the folder of the source, whose `bench/` must be like this one */
export async function startServer(checkout: string, storage: string): Promise<Server> {
  const child = fork(join(checkout, 'bench/server.ts'), [storage], {
    execArgv: ['--expose-gc', '--no-warnings', '--conditions=oidc-provider-impersonation'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exit = once(child, 'exit')
  const ended = exit.then(() => {
    throw new Error(`the server on ${storage} ended`)
  })
  ended.catch(() => {})
  const heard = async () => (await Promise.race([once(child, 'message'), ended]))[0]
  const cpuAt = (when: 'after' | 'before'): Promise<number> => {
    const answer = heard()
    child.send(when)
    return answer
  }

  const base: string = await heard()
  const pool = new Pool(base, { connections: 64, pipelining: 1 })
  const post = async (path: string, headers: Record<string, string>, body: string) => {
    const response = await pool.request({ method: 'POST', path, headers, body })
    const text = await response.body.text()
    // A fast error is no result.
    if (response.statusCode > 201) throw new Error(`${path}: ${response.statusCode} ${text}`)
    return JSON.parse(text)
  }
  const token = (form: string) => post('/oidc/token', FORM_HEADERS, form)
  const { access_token: machineToken } = await token(
    `grant_type=client_credentials&scope=impersonate&resource=${encodeURIComponent(`${base}/api`)}`,
  )
  const headers = { authorization: `Bearer ${machineToken}`, 'content-type': 'application/json' }
  const issue = async (): Promise<string> =>
    (await post('/api/subject-tokens', headers, ISSUE)).subjectToken

  /** Subject tokens to exchange next. */
  const issued: string[] = []
  const requests: Readonly<Record<Scenario, () => Promise<unknown>>> = {
    client_credentials: () => token(CLIENT_CREDENTIALS),
    issue: async () => issued.push(await issue()),
    exchange: () => token(EXCHANGE + issued.shift()),
    'full cycle': async () => token(EXCHANGE + (await issue())),
  }
  return {
    async measure(scenario, connections, count) {
      let left = count
      const worker = async () => {
        for (; left > 0; ) {
          left -= 1
          await requests[scenario]()
        }
      }
      const before = await cpuAt('before')
      const started = performance.now()
      await Promise.all(Array.from({ length: connections }, worker))
      const seconds = (performance.now() - started) / 1000
      return { cpu: ((await cpuAt('after')) - before) / count, perSecond: count / seconds }
    },
    async stop() {
      await pool.close()
      child.disconnect()
      await exit
    },
  }
}
