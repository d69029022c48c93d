import { readFileSync } from 'node:fs'
import type { Pool } from 'pg'
import type { StorageUse } from './storage.ts'

/** In `/proc/<pid>/stat`, processor time is in hundredths of a second on every Linux. */
const TICK_US = 10_000

/**
 * Reads the processor time of a PostgreSQL server from the operating system. On another machine, in
 * a container, or without `/proc` it cannot be read: the time is unknown then.
 */
export class PostgresProcesses {
  readonly #pool: Pool
  /** The latest reading by process id. A process that has ended keeps its last one. */
  readonly #own = new Map<number, number>()
  readonly #common = new Map<number, number>()
  #isReadable = true

  constructor(pool: Pool) {
    this.#pool = pool
    pool.on('connect', (client) => {
      if (!isHere(client)) this.#isReadable = false
      else if ('processID' in client) this.#add(this.#own, Number(client.processID))
    })
    // The backend ends a moment after its connection.
    pool.on('remove', () => this.read())
  }

  /** Finds the processes that write for all connections. */
  async findCommon(): Promise<void> {
    const { rows } = await this.#pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE backend_type IN ('checkpointer', 'background writer', 'walwriter')`,
    )
    for (const { pid } of rows) this.#add(this.#common, pid)
  }

  read(): Pick<StorageUse, 'own' | 'common'> {
    if (!this.#isReadable) return { own: 'unknown', common: 'unknown' }
    return { own: sum(this.#own), common: sum(this.#common) }
  }

  #add(processes: Map<number, number>, pid: number): void {
    const time = processorTime(pid)
    // Another process may have the id where the server is elsewhere.
    if (time === undefined || !isPostgres(pid)) this.#isReadable = false
    else processes.set(pid, time)
  }
}

function sum(processes: Map<number, number>): number {
  let total = 0
  for (const [pid, before] of processes) {
    const time = processorTime(pid) ?? before
    processes.set(pid, time)
    total += time
  }
  return total
}

/** By a socket of the file system, or by the loopback interface. */
function isHere({ host }: { host?: string }): boolean {
  return host === undefined || /^(?:\/|localhost$|127\.|::1$)/.test(host)
}

function isPostgres(pid: number): boolean {
  return read(pid, 'comm')?.trim() === 'postgres'
}

/** User and system, in microseconds. `undefined` where it cannot be read. */
export function processorTime(pid: number | 'self'): number | undefined {
  // Nanoseconds; not in every kernel.
  const [scheduled] = read(pid, 'schedstat')?.split(' ') ?? []
  if (Number(scheduled) > 0) return Number(scheduled) / 1000
  // Behind the name, which may contain blanks: utime and stime are the fields 14 and 15.
  const fields = read(pid, 'stat')?.split(') ').at(-1)?.split(' ')
  return fields && (Number(fields[11]) + Number(fields[12])) * TICK_US
}

function read(pid: number | 'self', name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined
  }
}
