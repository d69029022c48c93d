import { setTimeout as wait } from 'node:timers/promises'
import { Load } from './load.ts'
import { startServer } from './process.ts'
import type { Memory } from './storage.ts'

/** Lifetime of a subject token here, in seconds. All have expired soon after the last is issued. */
const TTL = 5
const REPORT_EVERY_MS = 30_000

/** Issues and exchanges at full load, and prints how the memory of the server changes. */
export async function soak(
  storage: string,
  minutes: number,
  { alg, connections }: { alg: string; connections: number },
): Promise<void> {
  const server = await startServer({ storage, alg, ttl: TTL })
  const load = new Load({ server, connections })
  await load.open()
  console.log(`${storage}: ${minutes} minutes of issue and exchange, ${connections} connections`)

  const started = Date.now()
  const end = started + minutes * 60_000
  const readings: Memory[] = []
  let cycles = 0
  while (Date.now() < end) {
    const until = Math.min(Date.now() + REPORT_EVERY_MS, end)
    cycles += await load.during(until, load.cycle)
    const memory = await server.ask('memory', undefined)
    readings.push(memory)
    const seconds = Math.round((Date.now() - started) / 1000)
    console.log(
      `${String(seconds).padStart(6)} s ${String(cycles).padStart(9)} cycles  ${mb(memory)}`,
    )
  }
  await load.close()

  // The process has warmed up before the first reading.
  const [first, last] = [readings[0], readings.at(-1)]
  if (first && last) {
    const growth = { rss: last.rss - first.rss, heap: last.heap - first.heap }
    console.log(`growth since the first reading: ${mb(growth)}`)
  }
  await wait((TTL + 2) * 1000)
  const { expired, live } = await server.ask('left', undefined)
  console.log(`left in the store: ${live} (the last clean-up removed ${expired} expired)\n`)
  await server.stop()
}

function mb({ rss, heap }: Memory): string {
  return `heap ${heap.toFixed(1)} MB, resident ${rss.toFixed(0)} MB`
}
