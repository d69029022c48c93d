import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import pg from 'pg'
import { createPostgresAdapter, migrate } from '../../src/adapters/postgres/index.ts'
import { POSTGRES_URL, suiteOn } from '../adapters/servers.ts'
import { deploy, idOf } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { apiToken } from '../support/jwts.ts'
import { shared } from '../support/shared.ts'
import { blocksOf, call, snippetsOf } from './documents.ts'

describe('docs/ending.md', () => {
  const snippets = shared(() => snippetsOf('ending.md'))
  const deployment = shared(deploy)

  /** Starts an impersonation of alice by olivia. */
  async function start(): Promise<{ token: string; id: string }> {
    const actor_token = await deployment.actorToken()
    const subject_token = await deployment.subjectToken({ context: { ticketId: 'SUP-1' } })
    const { body } = await deployment.exchange({ subject_token, actor_token })
    return { token: String(body.access_token), id: idOf(subject_token) }
  }

  it('a token says where its status is, as the page shows it', async () => {
    const [json = ''] = await blocksOf('ending.md', 'json')
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
    const { stopOperator, endMine } = await snippets.loadFile('end.ts')
    const { whoActsNow } = await snippets.loadFile('who-acts-now.ts')
    const { provider } = deployment
    await provider.impersonation.endAll({ userId: 'alice' })
    const mine = await start()
    const [row, ...others] = (await call(whoActsNow, provider, 'alice')) as object[]
    expect(row).to.deep.include({ operator: 'olivia', ticket: 'SUP-1' })
    expect(others).to.deep.equal([])
    expect(await call(endMine, provider, 'alice')).to.equal(1)
    const left = await start()
    await expectAnswer(deployment.endCurrent(left.token, { reason: 'left' }), 204)
    const stopped = await start()
    expect(await call(stopOperator, provider, 'olivia', 'grace')).to.equal(1)
    expect(await call(whoActsNow, provider, 'alice')).to.deep.equal([])
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
    const [sql = ''] = await blocksOf('ending.md', 'sql')
    await using stack = new AsyncDisposableStack()
    const pool = stack.adopt(new pg.Pool({ connectionString: POSTGRES_URL }), (it) => it.end())
    const table = `ending_${randomBytes(6).toString('hex')}`
    await migrate(pool, { table })
    stack.defer(async () => void (await pool.query(`DROP TABLE ${table}`)))
    const adapter = createPostgresAdapter({ pool, table })
    await using deployment = await deploy({ adapter })
    const resource = `${deployment.base}/opaque`
    const tokens = [
      await apiToken(deployment, 'alice', { resource }),
      (await deployment.impersonate({ resource })).token,
    ]
    const found = async () => {
      const { AccessToken } = deployment.provider
      return (await Promise.all(tokens.map((token) => AccessToken.find(token)))).map(Boolean)
    }
    expect(await found()).to.deep.equal([true, true])
    expect((await pool.query(sql.replace('oidc_records', table))).rowCount).to.equal(1)
    expect(await found()).to.deep.equal([true, false])
  })
})
