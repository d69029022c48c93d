import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { progress } from './progress.ts'
import { median } from './statistics.ts'

const run = promisify(execFile)

/** Milliseconds until a provider is ready: without this package, and the time that it adds. */
export interface Start {
  readonly plainMs: number
  readonly addedMs: number
}

/**
 * Starts providers in fresh processes, in turn plain and with impersonation. Needs `npm run build`.
 */
export async function measureStart(rounds: number): Promise<Start> {
  const program = fileURLToPath(new URL('start-once.ts', import.meta.url))
  const plain: number[] = []
  const added: number[] = []
  const starts = Math.min(rounds, 7) * 3
  for (let round = 1; round <= starts; round += 1) {
    progress(`start: round ${round} of ${starts}`)
    const once = async (kind: string) =>
      Number((await run(process.execPath, [program, kind])).stdout)
    const without = await once('plain')
    plain.push(without)
    added.push((await once('impersonation')) - without)
  }
  progress('')
  return { plainMs: median(plain), addedMs: median(added) }
}
