// Looks for deadlocks and for second winners. By itself: node test/adapters/deadlock-hunt.ts 3600
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Pool } from 'pg'
import { migrate } from '../../src/adapters/postgres/index.ts'
import type { HuntMessage } from './deadlock-hunt-process.ts'
import { POSTGRES_URL } from './servers.ts'

/** What a hunt did. */
export interface Hunt {
  calls: number
  /** Statements that served several calls. */
  groups: number
  /** Records that were consumed. */
  consumed: number
}

const PROCESSES = 2
const script = new URL('./deadlock-hunt-process.ts', import.meta.url)

/**
 * Lets two processes write, consume, end, revoke and clean up the same rows in shuffled groups for
 * so many seconds.
 *
 * @throws at the first deadlock, the first record that two consumed, and any other failure
 */
export async function hunt(seconds: number): Promise<Hunt> {
  const schema = `hunt_${randomBytes(6).toString('hex')}`
  const pool = new Pool({ connectionString: POSTGRES_URL, max: 1 })
  await migrate(pool, { schema })
  const children = Array.from({ length: PROCESSES }, () =>
    fork(script, [schema, String(seconds)], { execArgv: ['--no-warnings'] }),
  )
  try {
    const done: Hunt = { calls: 0, groups: 0, consumed: 0 }
    const winners = new Set<string>()
    await Promise.all(children.map((child) => watch(child, done, winners)))
    return done
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await pool.query(`DROP SCHEMA ${schema} CASCADE`)
    await pool.end()
  }
}

async function watch(child: ChildProcess, done: Hunt, winners: Set<string>): Promise<void> {
  const ended = once(child, 'exit')
  const failed = new Promise<never>((_resolve, reject) => {
    child.on('message', ({ calls, groups, won, failure }: HuntMessage) => {
      done.calls += calls
      done.groups += groups
      done.consumed += won.length
      const twice = won.find((id) => winners.has(id))
      for (const id of won) winners.add(id)
      // of old rounds no winner comes any more
      if (winners.size > 200_000)
        for (const id of [...winners].slice(0, 100_000)) winners.delete(id)
      if (twice !== undefined) reject(new Error(`two callers consumed ${twice}`))
      if (failure !== undefined) reject(new Error(failure))
    })
  })
  const [code] = await Promise.race([ended, failed])
  if (code !== 0) throw new Error(`a process ended with ${code}`)
}

if (import.meta.main) {
  const seconds = Number(process.argv[2] ?? 60)
  console.log(`${new Date().toISOString()} hunting for ${seconds} s`)
  const found = await hunt(seconds)
  console.log(`${new Date().toISOString()} no deadlock, no second winner:`, found)
}
