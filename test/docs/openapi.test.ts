import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'chai'
import manifest from '../../package.json' with { type: 'json' }
import { allAnswers } from './answers.ts'
import { type OpenApiDocument, readOpenApiDocument, type SeenAnswer } from './openapi-document.ts'

describe('docs/openapi.yaml', () => {
  let document: OpenApiDocument
  let seen: readonly SeenAnswer[]

  before(async function () {
    this.timeout(60_000)
    document = await readOpenApiDocument()
    seen = await allAnswers()
  })

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(document.text)
    expect([validator.version, valid, errors]).to.deep.equal(['3.1', true, undefined])
  })

  it('has examples that match its schemas', () => {
    expect(document.wrongExamples()).to.deep.equal([])
  })

  it('has patterns that need no flag, and that other languages than JavaScript know', () => {
    const patterns = [...document.text.matchAll(/^ +pattern: (.+)$/gm)].map(([, one = '']) => one)
    expect(patterns.length).to.be.greaterThan(5)
    // Property escapes need the flag `u`, and Python has none. Linters compile without the flag.
    expect(patterns.filter((pattern) => /\\[pP]\{/.test(pattern))).to.deep.equal([])
    for (const pattern of patterns) expect(() => new RegExp(pattern)).to.not.throw()
  })

  it('says of each operation which credentials it takes, also where it takes none', () => {
    const operations = Object.values(Object(document.root.paths)).flatMap((route) =>
      Object.values(Object(route)),
    )
    expect(operations.length).to.be.greaterThan(8)
    const silent = operations.filter((operation) => !Array.isArray(Object(operation).security))
    expect(silent.map((operation) => Object(operation).operationId)).to.deep.equal([])
  })

  it('has the version of the package', () => {
    expect(document.root.info).to.include({ version: manifest.version })
  })

  it('describes every answer (status, headers, body), and which requests are well-formed', () => {
    expect(seen.flatMap((answer) => document.differences(answer))).to.deep.equal([])
  })

  it('describes nothing that was not seen', () => {
    expect(document.unseen(seen)).to.deep.equal([])
  })
})
