import { readdir, readFile } from 'node:fs/promises'
import { expect } from 'chai'

const ROOT = new URL('../../', import.meta.url)

describe('CONTRIBUTING.md', () => {
  for (const [folder, between] of [
    ['src', ['`src` is the plugin', 'What runs elsewhere']],
    ['packages', ['What runs elsewhere', 'No file is compiled']],
    ['packages/console/src', ['`packages/console/src` has layers', '`test/` mirrors it']],
  ] as const) {
    it(`has a line for everything in ${folder}/`, async () => {
      const page = await readFile(new URL('CONTRIBUTING.md', ROOT), 'utf8')
      const [start, end] = between.map((words) => page.indexOf(words))
      const table = page.slice(start, end)
      const entries = await readdir(new URL(`${folder}/`, ROOT), { withFileTypes: true })
      const names = entries
        .filter((entry) => entry.isDirectory() || entry.name.endsWith('.ts'))
        .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      const missing = names.filter(
        (name) =>
          !table.includes(`\`${name}\``) && !table.includes(`\`${folder}/${name.slice(0, -1)}\``),
      )
      expect(missing).to.deep.equal([])
    })
  }
})
