import { readdir, readFile } from 'node:fs/promises'
import { expect } from 'chai'

const ROOT = new URL('../../', import.meta.url)

describe('src/README.md: the layers of the source', () => {
  let labels: Map<string, string>
  let arrows: [from: string, to: string][]

  before(async () => {
    const document = await readFile(new URL('src/README.md', ROOT), 'utf8')
    const picture = document.split('# The layers of the source')[1]?.split('```')[1] ?? ''
    labels = new Map(
      [...picture.matchAll(/^ {2}(\w+)\["([^<"]+)/gm)].map(([, id = '', label = '']) => [
        id,
        label,
      ]),
    )
    arrows = [...picture.matchAll(/^ {2}(\w+) --> (\w+)$/gm)].map(([, from = '', to = '']) => [
      from,
      to,
    ])
  })

  it('has each folder of src, and no other', async () => {
    const entries = await readdir(new URL('src', ROOT), { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${name}/`)
    const drawn = [...labels.values()].filter((label) => label.endsWith('/'))
    expect(drawn).to.have.members(folders)
  })

  it('draws no arrow that is no import', async () => {
    expect(arrows).to.have.length.greaterThan(15)
    for (const [from, to] of arrows) {
      const imported = (await importsOf(labels.get(from) ?? '')).some((path) =>
        path.startsWith((labels.get(to) ?? '').split(',')[0] ?? ''),
      )
      expect(imported, `${from} --> ${to}`).to.equal(true)
    }
  })
})

/** What the files of a folder, or the files that a label names, import: `tokens/subject-token.ts`. */
async function importsOf(label: string): Promise<string[]> {
  const files = label.endsWith('/')
    ? (await readdir(new URL(`src/${label}`, ROOT))).map((name) => label + name)
    : label.split(', ')
  const paths: string[] = []
  for (const file of files.filter((name) => /\.ts$/.test(name) && !/\.d\.ts$/.test(name))) {
    const source = await readFile(new URL(`src/${file}`, ROOT), 'utf8')
    for (const [, path = ''] of source.matchAll(/from '([^']+)'/g)) {
      const target = path.startsWith('.')
        ? new URL(path, `file:///${file}`).pathname.slice(1)
        : path
      paths.push(target)
    }
  }
  return paths
}
