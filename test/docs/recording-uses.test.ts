import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { type Module, type Snippets, snippetsOf } from './documents.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('docs/your-apis.md: what is recorded', function () {
  this.timeout(60_000)
  let snippets: Snippets
  let document: string
  let source: string

  before(async () => {
    snippets = await snippetsOf('your-apis.md')
    document = await readFile(join(ROOT, 'docs/your-apis.md'), 'utf8')
    source = await readFile(
      join(ROOT, 'packages/resource-server/src/uses/impersonation-use.ts'),
      'utf8',
    )
  })
  after(() => snippets[Symbol.asyncDispose]())

  it('is shown with every member', () => {
    const [, shape = ''] = /interface ImpersonationUse \{(.*?)^\}/ms.exec(source) ?? []
    const members = [...shape.matchAll(/^ {2}readonly (\w+)/gm)].map(([, name]) => name)
    expect(members).to.have.length.above(10)
    const [, json = ''] = /```json\n(.*?)```/s.exec(document) ?? []
    expect(Object.keys(JSON.parse(json))).to.deep.equal(members)
  })

  it('says every reason of a refusal', () => {
    const [, reasons = ''] = /readonly by: (.*)/.exec(source) ?? []
    const values = [...reasons.matchAll(/'(\w+)'/g)].map(([, value]) => value)
    expect(values).to.have.lengthOf(7)
    for (const name of values) expect(document).to.include(`\n| \`${name}\` |`)
  })

  it('its store keeps all uses of a batch, or none, and a copy once', async () => {
    const { useStore }: Module = await import(join(snippets.folder, 'src/use-store.ts'))
    using database = new DatabaseSync(':memory:')
    const keep = (useStore as (database: DatabaseSync) => (...given: unknown[]) => void)(database)
    const use = { useId: 'a', timeMs: 1, id: 'i', userId: 'alice', actor: { sub: 'olivia' } }
    keep([use, { useId: 'b', timeMs: 2, dropped: 3 }], 'api')
    keep([use], 'api')
    expect(() => keep([{ ...use, useId: 'c' }, { useId: 'd' }], 'api')).to.throw()
    const rows = database.prepare('SELECT use_id, id, actor, sender FROM impersonation_use').all()
    expect(rows.map((row) => Object.values(row))).to.deep.equal([
      ['a', 'i', 'olivia', 'api'],
      ['b', null, null, 'api'],
    ])
  })
})
