import { Load } from './load.ts'
import { type PartProcess, startServer } from './process.ts'
import { progress } from './progress.ts'
import {
  brokenPromises,
  RECORD_LIFE,
  type Reading,
  type SoakFigures,
  TTL_S,
} from './soak-promises.ts'

/** Issues and exchanges at full load with every event stored, and judges what that leaves. */
export async function soak(
  storage: string,
  minutes: number,
  { alg, connections }: { alg: string; connections: number },
): Promise<SoakFigures> {
  const server = await startServer({
    ...{ storage, alg, ttl: TTL_S, accessTokenTtl: TTL_S },
    audit: true,
  })
  const load = new Load({ server, connections })
  await load.open()
  console.log(`${storage}: ${minutes} minutes of issue and exchange, ${connections} connections`)
  const { readings, cycles, endedAt } = await run(server, load, minutes * 60_000)
  await load.close()
  progress(`${storage}: counting`)
  const { stored, longestQueue } = await server.ask('audited', undefined)
  // Records may live as long after the end of the load as the load was over when they were issued.
  const recent = (Date.now() - endedAt) / 1000
  const left = await server.ask('left', undefined)
  await server.stop()
  progress('')
  const seen = {
    ...{ storage, minutes, readings, cycles, left, stored, longestQueue },
    explained: explained(readings, recent),
  }
  return { ...seen, ...brokenPromises(seen) }
}

async function run(server: PartProcess, load: Load, duration: number) {
  const started = Date.now()
  const end = started + duration
  const every = Math.min(30_000, duration / 12)
  const readings: Reading[] = []
  let cycles = 0
  while (Date.now() < end) {
    cycles += await load.during(Math.min(Date.now() + every, end), load.cycle)
    const memory = await server.ask('memory', undefined)
    const at = Date.now() - started
    readings.push({ ...memory, at, cycles })
    const line = `${String(Math.round(at / 1000)).padStart(6)} s ${String(cycles).padStart(9)} cycles`
    console.log(`${line}  heap ${memory.heap.toFixed(1)} MB, resident ${memory.rss.toFixed(0)} MB`)
  }
  return { readings, cycles, endedAt: Date.now() }
}

/** Seconds that a clean-up may come late. */
const CLEAN_UP_LATE = 5

/**
 * The records that can be live `ago` seconds after the load: what was issued after the latest
 * reading before their life, and what status lists need.
 */
function explained(readings: readonly Reading[], ago: number): number {
  const last = readings.at(-1)
  if (!last) return 0
  const since = last.at - (RECORD_LIFE + CLEAN_UP_LATE - ago) * 1000
  const before = readings.findLast(({ at }) => at <= since)
  // A block of 512 indices is one record; a process keeps some open, and a list has a few.
  return last.cycles - (before?.cycles ?? 0) + Math.ceil(last.cycles / 512) + 100
}
