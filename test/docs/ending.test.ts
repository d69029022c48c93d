import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import pg from 'pg'
import { createPostgresAdapter, migrate } from '../../src/adapters/postgres/index.ts'
import type { Provider } from '../../src/index.ts'
import { freePort, POSTGRES_URL, suiteOn } from '../adapters/servers.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import { type Snippets, snippetsOf } from './documents.ts'

type AskCurrent = (issuer: string, token: string) => Promise<unknown>
type EndCurrent = (issuer: string, token: string) => Promise<boolean>
type PushEnds = (
  provider: Provider,
  push: (operator: string, data: { impersonation: string }) => Promise<void>,
) => void

describe('docs/ending.md', () => {
  let snippets: Snippets
  let deployment: Deployment
  let askCurrent: AskCurrent
  let pushEnds: PushEnds
  let load: (name: string) => Promise<Record<string, unknown>>

  before(async () => {
    snippets = await snippetsOf('ending.md')
    load = (name) => import(join(snippets.folder, 'src', name))
    askCurrent = (await load('ask-current.ts')).askCurrent as AskCurrent
    pushEnds = (await load('push-ends.ts')).pushEnds as PushEnds
    deployment = await deploy()
  })
  after(async () => {
    await deployment?.close()
    await snippets?.[Symbol.asyncDispose]()
  })

  /** Starts an impersonation of alice by olivia, and answers its token and id. */
  async function start(): Promise<{ token: string; id: string }> {
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const subject_token = await deployment.subjectToken('alice', { ticketId: 'SUP-1' })
    const { body } = await deployment.exchange({ subject_token, actor_token })
    const token = String(body.access_token)
    return { token, id: String(decodeJwt(token).jti).replace('impersonation:', '') }
  }

  it('a token says where its status is, as the page shows it', async () => {
    const page = await readFile(new URL('../../docs/ending.md', import.meta.url), 'utf8')
    const [, json = ''] = /^```json\n(.*?)^```$/ms.exec(page) ?? []
    const shown = JSON.parse(json)
    const { sub, act, jti, status } = decodeJwt((await start()).token)
    const [list, real] = [shown, { status }].map((of) => Object(of.status).status_list)
    expect([shown.sub, shown.act]).to.deep.equal([sub, act])
    expect(shown.jti).to.have.lengthOf(String(jti).length)
    expect(Object.keys(list).sort()).to.deep.equal(Object.keys(real).sort())
    const path = (uri: string) => uri.replace(/^.*(\/oidc\/status-lists\/)[\w-]+$/, '$1')
    expect(path(list.uri)).to.equal(path(real.uri))
  })

  it('a mobile application learns of an end by asking, is told by a push of its id alone, and takes no trouble for an end', async () => {
    const { token, id } = await start()
    expect(await askCurrent(deployment.issuer, token)).to.include({ state: 'active' })

    const pushed = new Promise((resolve) => {
      pushEnds(deployment.provider, async (...push) => resolve(push))
    })
    const how = { by: { sub: 'alice' }, cause: 'user' } as const
    await deployment.provider.impersonation.end(id, how)
    expect(await pushed).to.deep.equal(['olivia', { impersonation: id }])
    expect(await askCurrent(deployment.issuer, token)).to.deep.include({
      state: 'ended',
      end: { cause: 'user', by: 'customer' },
    })
    const forged = `${token.slice(0, -4)}AAAA`
    expect(await askCurrent(deployment.issuer, forged)).to.deep.equal({ state: 'ended' })

    expect(await askCurrent(`http://127.0.0.1:${await freePort()}`, token)).to.equal(undefined)
    const failing = createServer((_request, response) => response.writeHead(503).end('{}'))
    await once(failing.listen(0, '127.0.0.1'), 'listening')
    const address = failing.address()
    const port = typeof address === 'object' && address ? address.port : 0
    expect(await askCurrent(`http://127.0.0.1:${port}`, token)).to.equal(undefined)
    failing.close()
    failing.closeAllConnections()
  })

  it('a lead, a customer and an application end, and the page of a customer shows who acts', async () => {
    const { stopOperator, endMine } = (await load('end.ts')) as Record<
      string,
      (provider: Provider, ...people: string[]) => Promise<number>
    >
    const { whoActsNow } = await load('who-acts-now.ts')
    const { endCurrent } = await load('end-current.ts')
    const { provider, issuer } = deployment
    const shown = () =>
      (whoActsNow as (...given: unknown[]) => Promise<object[]>)(provider, 'alice')
    await provider.impersonation.endAll({ userId: 'alice' })
    const mine = await start()
    const [row, ...others] = await shown()
    expect(row).to.deep.include({ operator: 'olivia', ticket: 'SUP-1' })
    expect(others).to.deep.equal([])
    expect(await endMine?.(provider, 'alice')).to.equal(1)
    const left = await start()
    expect(await (endCurrent as EndCurrent)(issuer, left.token)).to.equal(true)
    expect(await (endCurrent as EndCurrent)(issuer, left.token)).to.equal(false)
    const stopped = await start()
    expect(await stopOperator?.(provider, 'olivia', 'grace')).to.equal(1)
    expect(await shown()).to.deep.equal([])
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
    const page = await readFile(new URL('../../docs/ending.md', import.meta.url), 'utf8')
    const [, sql = ''] = /^```sql\n(.*?)^```$/ms.exec(page) ?? []
    const pool = new pg.Pool({ connectionString: POSTGRES_URL })
    const table = `ending_${randomBytes(6).toString('hex')}`
    await migrate(pool, { table })
    const resource = 'https://opaque.example.com'
    const deployment = await deploy({
      configuration: { adapter: createPostgresAdapter({ pool, table }) },
      resources: { [resource]: { scope: 'openid orders:read', accessTokenFormat: 'opaque' } },
    })
    try {
      const { provider } = deployment
      const own = await signIn(deployment, 'alice', { scope: 'openid orders:read', resource })
      const subject_token = await deployment.subjectToken()
      const { body } = await deployment.exchange({ subject_token, resource })
      const tokens = [String(own.access_token), String(body.access_token)]
      const found = () => Promise.all(tokens.map((token) => provider.AccessToken.find(token)))
      expect((await found()).map(Boolean)).to.deep.equal([true, true])
      const deleted = await pool.query(sql.replace('oidc_records', table))
      expect(deleted.rowCount).to.equal(1)
      expect((await found()).map(Boolean)).to.deep.equal([true, false])
    } finally {
      await deployment.close()
      await pool.query(`DROP TABLE ${table}`)
      await pool.end()
    }
  })
})
