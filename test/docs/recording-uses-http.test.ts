import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { freePort } from '../adapters/servers.ts'
import { machine } from '../support/clients.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { apiToken } from '../support/jwts.ts'
import { launch, type Program } from '../support/program.ts'
import { type Snippets, snippetsOf } from './documents.ts'

describe('docs/your-apis.md: recording over HTTP', () => {
  let PORT: string
  let RECORDER: string
  let DATABASE: string
  let snippets: Snippets
  let deployment: Deployment
  let acted: string
  let running: Program[]

  before(async () => {
    snippets = await snippetsOf('your-apis.md')
  })
  after(() => snippets[Symbol.asyncDispose]())
  beforeEach(async () => {
    PORT = String(await freePort())
    RECORDER = `http://localhost:${PORT}`
    DATABASE = join(snippets.folder, `${PORT}.db`)
    running = []
    deployment = await deploy({
      resources: {
        [RECORDER]: 'openid uses:write uses:read',
      },
      clients: [{ ...machine, client_id: 'other', client_secret: 'other-secret' }],
    })
    const actor_token = await deployment.actorToken()
    acted = (await deployment.impersonate({ actor_token })).token
  })
  afterEach(async () => {
    for (const each of running) await each.stop('SIGKILL')
    await deployment.close()
  })

  async function start(file: string, environment: Record<string, string>): Promise<Program> {
    const { issuer: ISSUER, orders: AUDIENCE } = deployment
    const all = { ISSUER, AUDIENCE, DATABASE, RECORDER, ...environment }
    const program = await launch(join(snippets.folder, 'src', file), all)
    running.push(program)
    return program
  }
  const startRecorder = () => start('receive-uses.ts', { PORT, SENDERS: 'backend' })
  const startApi = (environment: Record<string, string> = {}) =>
    start('orders-api.ts', {
      CLIENT_ID: 'backend',
      CLIENT_SECRET: 'backend-secret',
      SCOPE: 'uses:write',
      ...environment,
    })
  async function asks(api: Program, count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      await expectAnswer(api.ask('GET', '/orders', acted), 200)
    }
  }
  /** The rows of the recorder's database, once there are so many. */
  async function recorded(count: number) {
    using file = new DatabaseSync(DATABASE, { timeout: 5000 })
    const select = 'SELECT sender, use FROM impersonation_use ORDER BY rowid'
    const read = () => file.prepare(select).all()
    for (let tries = 0; read().length < count && tries < 1000; tries += 1) await wait(10)
    return read().map(({ sender, use }) => ({ sender, use: JSON.parse(String(use)) }))
  }

  it('each read and each refused act is recorded, and nothing that users do in person', async () => {
    await startRecorder()
    const api = await startApi()
    const own = await apiToken(deployment, 'alice')
    await api.ask('GET', '/orders', own)
    await api.ask('PUT', '/email', own)
    await api.ask('GET', '/orders?q=x', acted)
    await api.ask('PUT', '/email', acted)
    const rows = await recorded(2)
    expect(rows.map(({ sender }) => sender)).to.deep.equal(['backend', 'backend'])
    const who = { userId: 'alice', client: 'console', actor: { sub: 'olivia' } }
    const [read, refused] = rows.map(({ use }) => use)
    expect(read).to.deep.include({ ...who, method: 'GET', path: '/orders', status: 200 })
    expect(refused).to.deep.include({ ...who, method: 'PUT', path: '/email', status: 403 })
    expect(refused?.refused).to.include({ by: 'impersonation' })
  })

  it('a recorder that is away: the API answers, and all of it is recorded afterwards, once', async () => {
    const api = await startApi()
    await asks(api, 120)
    await startRecorder()
    expect(await api.stop()).to.equal(0)
    const ids = (await recorded(120)).map(({ use }) => use.useId)
    expect(ids).to.have.lengthOf(120)
    expect(new Set(ids).size).to.equal(120)
    expect(api.log).to.include('uses wait:').and.not.include('not recorded')
  })

  it('I13: too many that wait: the number of those that are dropped is recorded', async () => {
    const api = await startApi({ MOST_WAITING: '5' })
    await asks(api, 30)
    await startRecorder()
    expect(await api.stop()).to.equal(0)
    const uses = (await recorded(6)).map(({ use }) => use)
    const dropped = uses.reduce((sum, use) => sum + Number(use.dropped ?? 0), 0)
    expect(dropped).to.be.above(15)
    expect(uses.filter((use) => !('dropped' in use)).length + dropped).to.equal(30)
    expect(api.log).to.include('too many uses of impersonations wait')
  })

  it('an API that ends while the recorder is away writes the rest to its log', async () => {
    const api = await startApi()
    await asks(api, 3)
    expect(await api.stop()).to.equal(0)
    expect(api.log.match(/^not recorded: \{.*"path":"\/orders".*\}$/gm)).to.have.lengthOf(3)
  })

  it('the recorder believes no other machine, no user, no operator, and no other scope', async () => {
    const recorder = await startRecorder()
    const [resource, scope] = [RECORDER, 'uses:write']
    const impersonated = await deployment.impersonate({ resource, scope })
    const refused = {
      other: await deployment.m2mToken({ resource, scope }, ['other', 'other-secret']),
      poor: await deployment.m2mToken({ resource, scope: 'uses:read' }),
      user: await apiToken(deployment, 'alice', { scope: `openid ${scope}`, resource }),
      acted: impersonated.token,
    }
    for (const [name, token] of Object.entries(refused)) {
      await expectAnswer(recorder.ask('POST', '/uses', token), 403, undefined, name)
    }
  })
})
