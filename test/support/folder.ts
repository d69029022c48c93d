import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made: string[] = []

/** A new folder, which is removed when the process ends. */
export function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'impersonation-'))
  made.push(path)
  return path
}

process.on('exit', () => {
  for (const path of made) rmSync(path, { recursive: true, force: true })
})
