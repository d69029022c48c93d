import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { examplesFromDocs } from '../../scripts/examples-from-docs.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples')

/** Those that no document shows whole. Each has a test of its own. */
const ALONE = [
  'backend.ts',
  'mcp-server.ts',
  'my-adapter.ts',
  'upstream-sign-in.ts',
  'nextjs/app/sign-out/route.ts',
  'policies/a-closed-organisation.ts',
  'policies/a-ticket-that-is-reassigned.ts',
  'policies/a-daily-limit.ts',
  'policies/only-in-business-hours.ts',
  'policies/tell-the-operator-why.ts',
]
/** Folders that a page links file by file; the tests of the page run them. */
const FOLDERS_OF_PAGES = ['recipes', 'recording-uses']

describe('examples/', () => {
  for (const { path, text } of examplesFromDocs()) {
    it(`${path} is what the document shows, word for word`, () => {
      expect(readFileSync(join(EXAMPLES, path), 'utf8')).to.equal(text)
    })
  }

  it('has no file beside those, and those that are run here', () => {
    const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
    const shown = examplesFromDocs()
      .map(({ path }) => path)
      .filter((path) => path.endsWith('.ts'))
    const code = files.filter((file) => file.endsWith('.ts'))
    const alone = code.filter((file) => !FOLDERS_OF_PAGES.includes(dirname(file)))
    expect(alone).to.have.members([...shown, ...ALONE])
    expect(code.length).to.be.greaterThan(alone.length)
  })
})
