import { access, glob, readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { anchorsIn, linksIn } from '../../scripts/markdown-links.ts'
import { withRelativeLinks, withWebLinks } from '../../scripts/shipped-links.ts'

const ROOT = new URL('../../', import.meta.url)

describe('the links of the documents', () => {
  it('lead from docs/README.md to every page', async () => {
    const links = linksIn(await readFile(new URL('docs/README.md', ROOT), 'utf8'))
    const linked = new Set(links.map((link) => link.split('#')[0]))
    const pages: string[] = []
    for await (const page of glob('*.md', { cwd: new URL('docs/', ROOT) })) pages.push(page)
    expect(pages).to.have.length.greaterThan(15)
    expect(pages.filter((page) => page !== 'README.md' && !linked.has(page))).to.deep.equal([])
  })

  it('lead to files that exist, and to headings that they have', async () => {
    const broken: string[] = []
    for await (const document of glob(
      ['*.md', 'docs/**/*.md', '{console,conformance,test/advisories}/*.md'],
      {
        cwd: ROOT,
      },
    )) {
      const text = await readFile(new URL(document, ROOT), 'utf8')
      for (const link of linksIn(text)) {
        if (/^https?:/.test(link)) continue
        const [path = '', anchor] = link.split('#')
        const target =
          path === '' ? new URL(document, ROOT) : new URL(path, new URL(document, ROOT))
        if (!(await exists(target))) broken.push(`${document}: ${link}`)
        else if (anchor && !anchorsIn(await readFile(target, 'utf8')).has(anchor)) {
          broken.push(`${document}: ${link}`)
        }
      }
    }
    expect(broken).to.deep.equal([])
  })

  // What is in the tarballs is tested there: package.proof.ts.
  for (const folder of ['.', 'console', 'conformance']) {
    it(`are after npm pack what they were before, in ${folder}`, async () => {
      const cwd = new URL(`${folder}/`, ROOT)
      const manifest = JSON.parse(await readFile(new URL('package.json', cwd), 'utf8'))
      let changed = 0
      for await (const path of glob(['*.md', 'docs/**/*.md'], { cwd })) {
        const text = await readFile(new URL(path, cwd), 'utf8')
        const packed = withWebLinks(text, path, manifest)
        if (packed !== text) changed += 1
        expect(withRelativeLinks(packed, path, manifest), path).to.equal(text)
      }
      expect(changed).to.be.greaterThan(0)
    })
  }
})

async function exists(file: URL): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  )
}
