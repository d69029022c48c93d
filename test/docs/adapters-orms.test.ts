import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { Client } from 'pg'
import { POSTGRES_URL, suiteOn } from '../adapters/servers.ts'
import { snippetsOf } from './documents.ts'

const ORMS = ['Knex', 'Prisma']

/** What an application with an ORM has. Its adapter throws for a model that it does not know. */
const BEFORE = `
import { Pool } from 'pg'
import { withSubjectTokens } from 'oidc-provider-impersonation'
import { createPostgresAdapter, migrate } from 'oidc-provider-impersonation/adapters/postgres'

class Client {}
const [PrismaClient, PrismaPg] = [Client, Client]
const createKnex = () => new Client()
class OrmAdapter {
  constructor(model, client) {
    if (model === 'SubjectToken') throw new Error('no such model')
    if (!(client instanceof Client)) throw new Error('no client')
  }
}
${ORMS.map((orm) => `class ${orm}Adapter extends OrmAdapter {}`).join('\n')}
`
const AFTER = 'export { adapter, pool, OrmAdapter }'

const suite = await suiteOn('PostgreSQL')

suite('docs/adapters.md, with an ORM', () => {
  const database = `docs_${randomBytes(6).toString('hex')}`
  const { DATABASE_URL } = process.env
  const server = new Client({ connectionString: POSTGRES_URL })

  before(async () => {
    await server.connect()
    await server.query(`CREATE DATABASE ${database}`)
    const url = new URL(POSTGRES_URL)
    url.pathname = database
    process.env.DATABASE_URL = url.href
  })
  after(async () => {
    if (DATABASE_URL === undefined) delete process.env.DATABASE_URL
    else process.env.DATABASE_URL = DATABASE_URL
    await server.query(`DROP DATABASE ${database}`)
    await server.end()
  })

  for (const orm of ORMS) {
    it(`keeps subject tokens apart and leaves the rest to the adapter that is there: ${orm}`, async () => {
      const text = await readFile(new URL('../../docs/adapters.md', import.meta.url), 'utf8')
      const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
      const [block, ...others] = blocks.filter((code) => code.includes(`new ${orm}Adapter(`))
      expect(others).to.deep.equal([])
      expect(block?.trim().split('\n')).to.have.length(5)

      await using snippets = await snippetsOf('adapters.md')
      const file = join(snippets.folder, `src/${orm}.mjs`)
      await writeFile(file, [BEFORE, block, AFTER].join('\n'))
      const { adapter, pool, OrmAdapter } = await import(pathToFileURL(file).href)
      try {
        const subjectTokens = adapter('SubjectToken')
        await subjectTokens.upsert(orm, { accountId: 'alice' }, 60)
        expect(await subjectTokens.consumeOnce(orm)).to.equal(true)
        expect(await subjectTokens.consumeOnce(orm)).to.equal(false)
        expect(adapter('Session')).to.be.instanceOf(OrmAdapter)
      } finally {
        await pool.end()
      }
    })
  }
})
