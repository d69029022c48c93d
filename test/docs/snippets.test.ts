import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { compile } from '../support/compile.ts'
import { snippetsOf } from './documents.ts'

const DOCS = join(import.meta.dirname, '../../docs')
/** Documents whose blocks need what a reader has, so that a test of their own compiles them. */
const ELSEWHERE: readonly string[] = [
  'adapters.md',
  'approvals.md',
  'frameworks.md',
  'server-rendered.md',
]

describe('the code of the documents', function () {
  this.timeout(300_000)

  it('compiles by the strictest settings', async () => {
    let count = 0
    for await (const name of glob('*.md', { cwd: DOCS })) {
      if (ELSEWHERE.includes(name)) continue
      if (!(await readFile(join(DOCS, name), 'utf8')).includes('\n```ts\n')) continue
      await using snippets = await snippetsOf(name)
      const found = await compile(['-p', join(snippets.folder, 'tsconfig.json')])
      expect(found, name).to.equal('')
      count += 1
    }
    expect(count).to.be.above(8)
  })
})
