import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { ResourceServer } from '../../packages/resource-server/src/index.ts'
import { startStatusProvider } from '../../packages/resource-server/test/status/status-provider.ts'
import { shared } from '../support/shared.ts'
import { blocksOf, call, pageOf, snippetsOf } from './documents.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('docs/your-apis.md: what is recorded', () => {
  const provider = shared(startStatusProvider)
  const snippets = shared(() => snippetsOf('your-apis.md'))

  it('is shown with every member, and every reason of a refusal', async () => {
    const source = await readFile(
      join(ROOT, 'packages/resource-server/src/uses/impersonation-use.ts'),
      'utf8',
    )
    const [, shape = ''] = /interface ImpersonationUse \{(.*?)^\}/ms.exec(source) ?? []
    const members = [...shape.matchAll(/^ {2}readonly (\w+)/gm)].map(([, name]) => name)
    const [json = ''] = await blocksOf('your-apis.md', 'json')
    expect(Object.keys(JSON.parse(json))).to.deep.equal(members)
    const [, reasons = ''] = /readonly by: (.*)/.exec(source) ?? []
    const values = [...reasons.matchAll(/'(\w+)'/g)].map(([, value]) => value)
    expect(values).to.have.lengthOf(7)
    const document = await pageOf('your-apis.md')
    for (const name of values) expect(document).to.include(`\n| \`${name}\` |`)
  })

  it('keep-uses.ts writes each use to the database itself', async () => {
    const database = join(snippets.folder, 'uses.db')
    const { api } = await snippets.loadFile('keep-uses.ts', {
      'https://id.example.com/oidc': provider.issuer,
      'uses.db': database,
    })
    await (api as ResourceServer).authenticate(`Bearer ${await provider.impersonated(1)}`)
    await turn()
    using opened = new DatabaseSync(database)
    const rows = opened.prepare('SELECT user_id, sender FROM impersonation_use').all()
    expect(rows.map((row) => Object.values(row))).to.deep.equal([['alice', 'orders-api']])
  })

  it('its store keeps all uses of a batch, or none, and a copy once', async () => {
    const { useStore } = await snippets.loadFile('use-store.ts')
    using database = new DatabaseSync(':memory:')
    const keep: (...given: unknown[]) => void = call(useStore, database)
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
