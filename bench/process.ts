import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Left, Memory } from './storage.ts'

/** Options that the server under measurement starts with. */
export interface ServerOptions {
  readonly storage: string
  readonly alg: string
  /** Lifetime of a subject token, in seconds. */
  readonly ttl: number
  /** The Redis database. Each database has its own table of keys. */
  readonly database: number
}

/** Questions that the running server answers, and their answers. */
export interface Questions {
  memory: { parameter: undefined; answer: Memory }
  left: { parameter: undefined; answer: Left }
  /** Puts that many live subject tokens into the store. */
  fill: { parameter: number; answer: undefined }
}

export interface Question {
  readonly ask: keyof Questions | 'stop'
  readonly parameter?: number | undefined
}

/** The provider under measurement, in its own process. */
export interface ServerProcess {
  readonly base: string
  ask<Q extends keyof Questions>(
    question: Q,
    parameter: Questions[Q]['parameter'],
  ): Promise<Questions[Q]['answer']>
  stop(): Promise<void>
}

/** Starts the server, and makes sure that it ends with this process. */
export async function startServer({
  storage,
  alg,
  ttl = 3600,
  database = 0,
}: Pick<ServerOptions, 'storage' | 'alg'> & Partial<ServerOptions>): Promise<ServerProcess> {
  const options: ServerOptions = { storage, alg, ttl, database }
  const child = fork(
    fileURLToPath(new URL('server.ts', import.meta.url)),
    [JSON.stringify(options)],
    { execArgv: ['--expose-gc', '--no-warnings'] },
  )
  const end = () => child.kill()
  process.once('exit', end)
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the server for ${storage} ended`)
  })
  ended.catch(() => {})
  const [{ base }] = await Promise.race([once(child, 'message'), ended])
  const send = (question: Question) => child.send(question)
  return {
    base,
    async ask(ask, parameter) {
      const answered = once(child, 'message')
      send({ ask, parameter })
      const [{ answer }] = await Promise.race([answered, ended])
      return answer
    },
    async stop() {
      const exit = once(child, 'exit')
      send({ ask: 'stop' })
      await exit
      process.off('exit', end)
    },
  }
}
