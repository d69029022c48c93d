import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JWK } from 'jose'
import { onInterrupt } from './interrupt.ts'
import type { Left, Memory, StorageUse } from './storages/storage.ts'

/** What the copies of one provider have in common. */
export interface Shared {
  /**
   * The origin of the issuer: of the balancer before the copies.
   *
   * @defaultValue the server's own
   */
  readonly base?: string
  /** The port that all copies listen on, with `SO_REUSEPORT`. 0 takes a free one. */
  readonly port?: number
  /** The name of their store. A server does not empty a store that has a name. */
  readonly store: string
  readonly key: JWK
}

/** Options that the server under measurement starts with. */
export interface ServerOptions {
  readonly storage: string
  readonly alg: string
  /** Whether a claims hook is set. */
  readonly hook: boolean
  /** Lifetime of a subject token, in seconds. */
  readonly ttl: number
  /** The Redis database. Each database has its own table of keys. */
  readonly database: number
  /** Whether the client may also see and end impersonations. */
  readonly ends: boolean
  /** The longest life of an impersonated access token, in seconds. */
  readonly accessTokenTtl: number
  /** How many connections to PostgreSQL the server may open. */
  readonly poolSize: number
  /** Whether every event of the package is stored, beside the records. */
  readonly audit: boolean
  /** Whether the audit of the console records, too: on PostgreSQL alone. */
  readonly consoleAudit: boolean
  /** Absent for a server that is alone. */
  readonly shared?: Shared | undefined
}

/** Questions that the running server answers, and their answers. */
export interface Questions {
  /** Processor time of the process so far, user and system together, in microseconds. */
  cpu: { parameter: undefined; answer: number }
  /** Collects new garbage, so that a measurement does not pay for the one before. */
  gc: { parameter: undefined; answer: undefined }
  /** What the storage has done so far. */
  use: { parameter: undefined; answer: StorageUse }
  memory: { parameter: undefined; answer: Memory }
  /** Waits until every event is stored, and tells how many of each name are. */
  audited: { parameter: undefined; answer: Audited }
  left: { parameter: undefined; answer: Left }
  /** Puts that many live impersonations into the store. */
  fill: { parameter: number; answer: undefined }
}

/** What became of the audit. */
export interface Audited {
  /** How many events of each name are in the storage. */
  readonly stored: Readonly<Record<string, number>>
  /** The largest number of events that waited at once. */
  readonly longestQueue: number
}

export interface Question {
  readonly ask: keyof Questions | 'stop'
  readonly parameter?: number | undefined
}

/** A part of the benchmark in its own process. */
export interface PartProcess {
  readonly base: string
  ask<Q extends keyof Questions>(
    question: Q,
    parameter: Questions[Q]['parameter'],
  ): Promise<Questions[Q]['answer']>
  stop(): Promise<void>
  /** Ends it as a crash would. */
  kill(): Promise<void>
}

/** This checkout. */
export const CHECKOUT_ROOT = fileURLToPath(new URL('..', import.meta.url))

/**
 * Starts the provider under measurement.
 *
 * @param checkout the folder of the source; its `bench/` must be like this one
 */
export function startServer(
  options: Pick<ServerOptions, 'storage' | 'alg'> & Partial<ServerOptions>,
  checkout = CHECKOUT_ROOT,
): Promise<PartProcess> {
  const all: ServerOptions = {
    hook: false,
    ttl: 3600,
    accessTokenTtl: 3600,
    database: 0,
    ends: false,
    poolSize: 16,
    audit: false,
    consoleAudit: false,
    ...options,
  }
  return startPart(join(checkout, 'bench', 'server.ts'), all)
}

/** How long a part may take to clean up, in milliseconds: it may remove a million records. */
const STOP_WITHIN_MS = 60_000

/** Starts a program, and makes sure that it ends with this process. */
export async function startPart(program: string, options: object): Promise<PartProcess> {
  const child = fork(program, [JSON.stringify(options)], {
    // The console is measured as its source, as the package is.
    execArgv: ['--expose-gc', '--no-warnings', '--conditions=oidc-provider-impersonation'],
    // The audit of the console prints every entry.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exit = once(child, 'exit')
  const ended = exit.then(() => {
    throw new Error(`${program} ended`)
  })
  ended.catch(() => {})
  const killNow = () => child.kill('SIGKILL')
  process.once('exit', killNow)
  const forget = onInterrupt(stop)
  const send = (question: Question) => child.send(question)
  const gone = async () => {
    await exit
    forget()
    process.off('exit', killNow)
  }

  let hasStopped = false
  async function stop(): Promise<void> {
    if (child.connected && !hasStopped) send({ ask: 'stop' })
    hasStopped = true
    // A process that is busy for ever does not hear it.
    const late = setTimeout(killNow, STOP_WITHIN_MS)
    await gone()
    clearTimeout(late)
  }

  const [{ base, failure }] = await Promise.race([once(child, 'message'), ended])
  if (failure !== undefined) throw new Error(failure)
  return {
    base,
    async ask(ask, parameter) {
      const answered = once(child, 'message')
      send({ ask, parameter })
      const [{ answer, failure }] = await Promise.race([answered, ended])
      if (failure !== undefined) throw new Error(`the server failed to answer ${ask}: ${failure}`)
      return answer
    },
    stop,
    async kill() {
      killNow()
      await gone()
    },
  }
}
