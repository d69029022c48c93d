import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import manifest from '../../package.json' with { type: 'json' }
import { errorsPage } from '../../scripts/http-api-errors.ts'
import { allAnswers } from './answers/all.ts'
import type { SeenAnswer } from './answers/seen.ts'
import { type OpenApiDocument, readOpenApiDocument } from './openapi-document.ts'

// `npm run lint:openapi` has the rest: whether it is valid, examples match, and each operation says its credentials.
describe('docs/openapi.yaml', () => {
  let document: OpenApiDocument
  let seen: readonly SeenAnswer[]

  before(async function () {
    this.timeout(60_000)
    document = await readOpenApiDocument()
    seen = await allAnswers(document.text)
  })

  it('has patterns that need no flag, and that other languages than JavaScript know', () => {
    const patterns = [...document.text.matchAll(/^ +pattern: (.+)$/gm)].map(([, one = '']) => one)
    expect(patterns.length).to.be.greaterThan(5)
    // Property escapes need the flag `u`, and Python has none. Linters compile without the flag.
    expect(patterns.filter((pattern) => /\\[pP]\{/.test(pattern))).to.deep.equal([])
    for (const pattern of patterns) expect(() => new RegExp(pattern)).to.not.throw()
  })

  it('has the version of the package', () => {
    expect(document.root.info).to.include({ version: manifest.version })
  })

  it('describes every answer (status, headers, body, error), and which requests are well-formed', () => {
    expect(seen.flatMap((answer) => document.differences(answer))).to.deep.equal([])
  })

  it('describes nothing that was not seen', () => {
    expect(document.unseen(seen)).to.deep.equal([])
  })

  it('has the errors of docs/errors.md', () => {
    const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')
    expect(page, 'run: npm run docs:options').to.equal(errorsPage())
  })
})
