import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const DOCUMENT = join(import.meta.dirname, '../../docs/resource-servers.md')

/** Writes the block of the page whose first line is the comment `<name>` into a folder, as it stands. */
export async function writeBlock(name: string, folder: string): Promise<string> {
  const text = await readFile(DOCUMENT, 'utf8')
  for (const [, code = ''] of text.matchAll(/^```\w+\n(.*?)^```$/gms)) {
    if (!code.startsWith(`# ${name}\n`) && !code.startsWith(`// ${name}\n`)) continue
    const file = join(folder, name)
    await writeFile(file, code)
    return file
  }
  throw new Error(`docs/resource-servers.md has no ${name}`)
}
