import { snippetsOf } from './documents.ts'

const snippets = await snippetsOf('audit-stores.md')

describe('docs/audit-stores.md: the store that it wraps keeps the contract', function () {
  this.timeout(30_000)
  after(() => snippets[Symbol.asyncDispose]())
})

// It defines tests of its own.
await snippets.load('The contract suite')
