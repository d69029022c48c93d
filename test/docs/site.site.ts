import { execFile } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { readmeBlocks } from '../../scripts/readme.ts'

const ROOT = join(import.meta.dirname, '../..')
const SITE = join(ROOT, 'scripts/site/dist')

describe('the site of the documents', function () {
  this.timeout(600_000)

  before(async () => {
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/docs-site.ts')], {
      cwd: ROOT,
      maxBuffer: 1 << 26,
    })
  })

  it('begins with the README, its diff included', async () => {
    const home = await readFile(join(SITE, 'index.html'), 'utf8')
    expect(home).to.include('Compared with others')
    const [line = ''] = readmeBlocks().after.match(/createMemoryAdapter/) ?? []
    expect(home).to.include(line)
  })

  it('has every document, and the exports of the packages', async () => {
    const pages: string[] = []
    for await (const page of glob('**/*.html', { cwd: SITE })) pages.push(page)
    for await (const document of glob('*.md', { cwd: join(ROOT, 'docs') })) {
      if (document === 'README.md') continue
      expect(pages).to.include(document.replace(/md$/, 'html'))
    }
    expect(pages).to.include.members([
      'documents.html',
      'security.html',
      'packages/console.html',
      'api/index.html',
    ])
  })

  it('finds a word of a guide, and no export', async () => {
    const chunks: string[] = []
    for await (const file of glob('assets/**/*localSearchIndex*.js', { cwd: SITE })) {
      chunks.push(await readFile(join(SITE, file), 'utf8'))
    }
    const index = chunks.join('\n')
    expect(index).to.include('protectadministrators').and.not.include('/api/packages')
  })
})
