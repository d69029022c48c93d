import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import pg from 'pg'
import { createPostgresAdapter, migrate } from '../../src/adapters/postgres/index.ts'
import { POSTGRES_URL, suiteOn } from '../adapters/servers.ts'
import { deploy } from '../support/deployment.ts'
import { shared } from '../support/shared.ts'
import { signIn } from '../support/sign-in.ts'
import { snippetsOf } from './documents.ts'

const PAGE = new URL('../../docs/ending.md', import.meta.url)

describe('docs/ending.md', () => {
  const snippets = shared(() => snippetsOf('ending.md'))
  const deployment = shared(() => deploy())

  /** A function of a file of the page, without types. */
  async function load(file: string, name: string) {
    const loaded = await import(join(snippets.folder, 'src', file))
    return (...given: unknown[]) => Reflect.apply(loaded[name], undefined, given)
  }

  /** Starts an impersonation of alice by olivia. */
  async function start(): Promise<{ token: string; id: string }> {
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const subject_token = await deployment.subjectToken('alice', { ticketId: 'SUP-1' })
    const { body } = await deployment.exchange({ subject_token, actor_token })
    const token = String(body.access_token)
    return { token, id: String(decodeJwt(token).jti).replace('impersonation:', '') }
  }

  it('a token says where its status is, as the page shows it', async () => {
    const [, json = ''] = /^```json\n(.*?)^```$/ms.exec(await readFile(PAGE, 'utf8')) ?? []
    const shown = JSON.parse(json)
    const real = decodeJwt((await start()).token)
    expect([shown.sub, shown.act]).to.deep.equal([real.sub, real.act])
    expect(shown.jti).to.have.lengthOf(String(real.jti).length)
    const [list, own] = [shown, real].map((of) => Object(of.status).status_list)
    expect(list).to.have.all.keys(Object.keys(own))
    const path = (uri: string) => uri.replace(/^.*(\/oidc\/status-lists\/)[\w-]+$/, '$1')
    expect(path(list.uri)).to.equal(path(own.uri))
  })

  it('a lead, a customer and an application end, and the page of a customer shows who acts', async () => {
    const stopOperator = await load('end.ts', 'stopOperator')
    const endMine = await load('end.ts', 'endMine')
    const whoActsNow = await load('who-acts-now.ts', 'whoActsNow')
    const { provider, issuer } = deployment
    await provider.impersonation.endAll({ userId: 'alice' })
    const mine = await start()
    const [row, ...others] = (await whoActsNow(provider, 'alice')) as object[]
    expect(row).to.deep.include({ operator: 'olivia', ticket: 'SUP-1' })
    expect(others).to.deep.equal([])
    expect(await endMine(provider, 'alice')).to.equal(1)
    const left = await start()
    const headers = { authorization: `Bearer ${left.token}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ reason: 'left' }) }
    const ended = await fetch(`${issuer}/impersonations/current/end`, init)
    expect(ended.status).to.equal(204)
    const stopped = await start()
    expect(await stopOperator(provider, 'olivia', 'grace')).to.equal(1)
    expect(await whoActsNow(provider, 'alice')).to.deep.equal([])
    const ends = [stopped, mine, left].map(async ({ id }) => {
      const { end } = (await provider.impersonation.get(id)) ?? {}
      return [end?.by?.sub, end?.cause, end?.reason]
    })
    expect(await Promise.all(ends)).to.deep.equal([
      ['grace', 'requested', 'left the team'],
      ['alice', 'user', undefined],
      ['olivia', 'requested', 'left'],
    ])
  })
})

const suite = await suiteOn('PostgreSQL')

suite('docs/ending.md: what is deleted before the package is removed', () => {
  it('is the opaque tokens of impersonations, and no others', async () => {
    const [, sql = ''] = /^```sql\n(.*?)^```$/ms.exec(await readFile(PAGE, 'utf8')) ?? []
    await using stack = new AsyncDisposableStack()
    const pool = stack.adopt(new pg.Pool({ connectionString: POSTGRES_URL }), (it) => it.end())
    const table = `ending_${randomBytes(6).toString('hex')}`
    await migrate(pool, { table })
    stack.defer(async () => void (await pool.query(`DROP TABLE ${table}`)))
    const resource = 'https://opaque.example.com'
    await using deployment = await deploy({
      configuration: { adapter: createPostgresAdapter({ pool, table }) },
      resources: { [resource]: { scope: 'openid orders:read', accessTokenFormat: 'opaque' } },
    })
    const own = await signIn(deployment, 'alice', { scope: 'openid orders:read', resource })
    const { body } = await deployment.exchange({ resource })
    const found = async () => {
      const { AccessToken } = deployment.provider
      const tokens = [String(own.access_token), String(body.access_token)]
      return (await Promise.all(tokens.map((token) => AccessToken.find(token)))).map(Boolean)
    }
    expect(await found()).to.deep.equal([true, true])
    expect((await pool.query(sql.replace('oidc_records', table))).rowCount).to.equal(1)
    expect(await found()).to.deep.equal([true, false])
  })
})
