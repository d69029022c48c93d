import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { newFolder } from '../../../../test/support/folder.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const BUNDLE = join(ROOT, 'packages/browser/scripts/bundle.ts')

let folder: Promise<string> | undefined

/** A folder with the modules of the kit as the build makes them, once for the whole run. */
export function builtKit(): Promise<string> {
  folder ??= build()
  return folder
}

async function build(): Promise<string> {
  const target = newFolder()
  await promisify(execFile)(process.execPath, [BUNDLE, target])
  return target
}
