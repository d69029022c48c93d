// Copies the files that the stores read to where they look for them in the package.
import { cpSync } from 'node:fs'
import { extname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
for (const engine of ['postgres', 'sqlite']) {
  const folder = join('ledger/stores', engine)
  cpSync(join(root, 'src', folder), join(root, 'dist', folder), {
    recursive: true,
    filter: (file) => extname(file) !== '.ts',
  })
}
