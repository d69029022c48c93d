import { access, glob, readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { PLACEHOLDER } from '../../scripts/check-release.ts'
import { anchorsIn, linksIn } from '../../scripts/markdown-links.ts'

/** From one package to another, documents link to the repository on the web. */
const IN_REPOSITORY = new RegExp(`^${PLACEHOLDER}/(?:blob|raw)/main/`)

const ROOT = new URL('../../', import.meta.url)
/** For those who carry on: each names the files of a picture. */
const HOUSE = [
  'CONTRIBUTING.md',
  'docs/architecture.md',
  'packages/console/CONTRIBUTING.md',
  'src/README.md',
]

describe('the links of the documents', () => {
  it('lead from docs/README.md to every page', async () => {
    const links = linksIn(await readFile(new URL('docs/README.md', ROOT), 'utf8'))
    const linked = new Set(links.map((link) => link.split('#')[0]))
    const pages: string[] = []
    for await (const page of glob('*.md', { cwd: new URL('docs/', ROOT) })) pages.push(page)
    expect(pages).to.have.length.greaterThan(15)
    expect(pages.filter((page) => page !== 'README.md' && !linked.has(page))).to.deep.equal([])
  })

  it('lead to files that exist, and to headings that they have; each block names its language', async () => {
    const broken: string[] = []
    for await (const document of glob(
      ['*.md', 'docs/**/*.md', 'packages/*/*.md', '{src,test,test/*}/*.md'],
      {
        cwd: ROOT,
      },
    )) {
      const text = await readFile(new URL(document, ROOT), 'utf8')
      const bare = text.replaceAll(/^ *```\w.*?^ *```$/gms, '').includes('```\n')
      if (bare) broken.push(`${document}: a block without a language`)
      for (const link of linksIn(text)) {
        const [path = '', anchor] = link.split('#')
        const target = IN_REPOSITORY.test(path)
          ? new URL(path.replace(IN_REPOSITORY, ''), ROOT)
          : new URL(path, new URL(document, ROOT))
        if (target.protocol !== 'file:') {
          // A placeholder that does not lead into the repository leads nowhere.
          if (target.hostname.endsWith('.invalid')) broken.push(`${document}: ${link}`)
          continue
        }
        if (!(await exists(target))) broken.push(`${document}: ${link}`)
        else if (anchor && !anchorsIn(await readFile(target, 'utf8')).has(anchor)) {
          broken.push(`${document}: ${link}`)
        }
      }
    }
    expect(broken).to.deep.equal([])
  })

  it('and paths in code are files, where pages tell which file does what', async () => {
    for (const page of HOUSE) {
      const own = new URL(page, ROOT)
      const text = await readFile(own, 'utf8')
      const paths = [
        ...text.matchAll(/`((?:\.\.\/)?(?:[\w-]+\/)*(?:[\w.-]+\.(?:tsx?|md)|[\w-]+\/))`/g),
      ]
      expect(paths, page).to.have.length.greaterThan(8)
      for (const [, path = ''] of paths) {
        const places = [ROOT, own, new URL('src/', own)].map((place) => new URL(path, place))
        const found = await Promise.all(places.map(exists))
        expect(found, `${page}: ${path}`).to.include(true)
      }
    }
  })

  it('are right in sources and messages, too', async () => {
    const named: string[] = []
    for await (const file of glob('{src,example-provider,examples,packages/*/src}/**/*.{ts,tsx}', {
      cwd: ROOT,
    })) {
      const text = await readFile(new URL(file, ROOT), 'utf8')
      named.push(...(text.match(/(?<![\w/])docs\/[\w-]+\.md(?:#[\w-]+)?/g) ?? []))
    }
    expect(named).to.have.length.greaterThan(10)
    for (const [path = '', anchor] of named.map((name) => name.split('#'))) {
      const page = await readFile(new URL(path, ROOT), 'utf8')
      if (anchor) expect(anchorsIn(page), path).to.include(anchor)
    }
  })
})

async function exists(file: URL): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  )
}
