import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What docs/resource-servers.md links under "Servers to copy". */
export const SERVERS = join(import.meta.dirname, '../../examples/resource-servers')

/** Copies a server into a folder, as a user does. */
export async function copyServer(name: string, folder: string): Promise<string> {
  const file = join(folder, name)
  await copyFile(join(SERVERS, name), file)
  return file
}
