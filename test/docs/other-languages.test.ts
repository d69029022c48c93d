import { readdir, readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { blocksOf } from './documents.ts'

const ROOT = new URL('../../', import.meta.url)
const SERVERS = new URL('examples/resource-servers/', ROOT)

describe('docs/other-languages.md', () => {
  it('shows only code of the servers that can be copied', async () => {
    const blocks = (await blocksOf('other-languages.md', '\\w+')).map(flat)
    expect(blocks).to.have.length.above(4)
    const files = await readdir(SERVERS)
    const servers = await Promise.all(files.map((file) => readFile(new URL(file, SERVERS), 'utf8')))
    const all = servers.map(flat).join('\n')
    for (const block of blocks) expect(all).to.include(block)
  })
})

/** Without the indentation. */
function flat(code: string): string {
  return code.replaceAll(/^\s+/gm, '')
}
