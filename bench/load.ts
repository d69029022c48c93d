import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Pool } from 'undici'

/** One slice of load. */
export interface Slice {
  /** Processor time of the server process for one request, in microseconds. */
  readonly cpu: number
  /** Statements that the storage got for one request. */
  readonly statements: number
  readonly perSecond: number
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

/** A provider in its own process, and the requests to it. Every answer is checked. */
export interface Server {
  readonly requests: Readonly<Record<'clientCredentials' | 'cycle', () => Promise<string>>> & {
    issue(): Promise<string>
    exchange(subjectToken: string): Promise<string>
  }
  /** Runs `task` `count` times over so many connections. */
  slice(connections: number, count: number, task: () => Promise<unknown>): Promise<Slice>
  stop(): Promise<void>
}

/** @param checkout the folder of the source, whose `bench/` must be like this one */
export async function startServer(checkout: string, storage: string, alg: string): Promise<Server> {
  const child = fork(join(checkout, 'bench/server.ts'), [storage, alg], {
    execArgv: ['--expose-gc', '--no-warnings', '--conditions=oidc-provider-impersonation'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exit = once(child, 'exit')
  const ended = exit.then(() => {
    throw new Error(`the server on ${storage} ended`)
  })
  ended.catch(() => {})
  const heard = async () => (await Promise.race([once(child, 'message'), ended]))[0]
  const ask = (when: 'after' | 'before') => {
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
  const token = async (form: string): Promise<string> =>
    (await post('/oidc/token', FORM_HEADERS, form)).access_token
  const machineToken = await token(
    `grant_type=client_credentials&scope=impersonate&resource=${encodeURIComponent(`${base}/api`)}`,
  )
  const headers = { authorization: `Bearer ${machineToken}`, 'content-type': 'application/json' }
  const issue = async (): Promise<string> =>
    (await post('/api/subject-tokens', headers, ISSUE)).subjectToken
  const exchange = (subjectToken: string) => token(EXCHANGE + subjectToken)

  return {
    requests: {
      clientCredentials: () => token(CLIENT_CREDENTIALS),
      issue,
      exchange,
      cycle: async () => exchange(await issue()),
    },
    async slice(connections, count, task) {
      let left = count
      const worker = async () => {
        for (; left > 0; ) {
          left -= 1
          await task()
        }
      }
      const before = await ask('before')
      const started = performance.now()
      await Promise.all(Array.from({ length: connections }, worker))
      const seconds = (performance.now() - started) / 1000
      const after = await ask('after')
      return {
        cpu: (after.cpu - before.cpu) / count,
        statements: (after.statements - before.statements) / count,
        perSecond: count / seconds,
      }
    },
    async stop() {
      await pool.close()
      child.disconnect()
      await exit
    },
  }
}
