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
