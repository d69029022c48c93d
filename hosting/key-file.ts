import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from './start-error.ts'

/**
 * Reads a secret file of the data folder, or creates it. Only its owner can read it.
 *
 * Several copies may start at once. Each writes its own complete file and links it to the common
 * name. Only the first link succeeds, and all copies read that file.
 */
export async function readOrCreate(
  folder: string,
  name: string,
  create: () => Promise<string>,
): Promise<string> {
  const path = join(folder, name)
  try {
    const existing = await readIfThere(path)
    if (existing !== undefined) return existing
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await publish(path, await create())
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new StartError(
      `DATA_DIR '${folder}' cannot be used: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    )
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function publish(path: string, content: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
    await link(draft, path)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    await file.close()
    await unlink(draft)
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
