import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What docs/other-languages.md links under "Servers to copy". */
export const SERVERS = join(import.meta.dirname, '../../examples/resource-servers')

/** Copies a server into a folder, as a user does. */
export async function copyServer(name: string, folder: string): Promise<string> {
  const file = join(folder, name)
  await copyFile(join(SERVERS, name), file)
  return file
}

/** Copies a server whose constants are set to 0, so that no test waits for what grows old. */
export async function copyHastyServer(
  name: string,
  folder: string,
  constants: readonly RegExp[],
): Promise<string> {
  const file = await copyServer(name, folder)
  let text = await readFile(file, 'utf8')
  for (const constant of constants) {
    if (!constant.test(text)) throw new Error(`${name} has no constant as in ${constant}`)
    text = text.replace(constant, '0')
  }
  await writeFile(file, text)
  return file
}
