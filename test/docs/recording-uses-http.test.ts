import { expect } from 'chai'
import { freePort } from '../adapters/servers.ts'
import { signIn } from '../support/sign-in.ts'
import { type Recording, recording } from './recorded-uses.ts'
import type { ServerProcess } from './server-process.ts'

describe('docs/your-apis.md: recording over HTTP', () => {
  let PORT: string
  let RECORDER: string
  let at: Recording

  beforeEach(async () => {
    PORT = String(await freePort())
    RECORDER = `http://localhost:${PORT}`
    at = await recording({
      resources: {
        [RECORDER]: {
          scope: 'openid uses:write uses:read',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        },
      },
      clients: [
        {
          client_id: 'other',
          client_secret: 'other-secret',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
    })
  })
  afterEach(() => at[Symbol.asyncDispose]())

  const startRecorder = () => at.launch('receive-uses.ts', { PORT, RECORDER, SENDERS: 'backend' })
  const startApi = (environment: Record<string, string> = {}) =>
    at.launch('orders-api.ts', {
      RECORDER,
      CLIENT_ID: 'backend',
      CLIENT_SECRET: 'backend-secret',
      SCOPE: 'uses:write',
      ...environment,
    })
  async function asks(api: ServerProcess, count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      expect((await api.ask('GET', '/orders', at.tokens.acted)).status).to.equal(200)
    }
  }

  it('each read and each refused act is recorded, and nothing that users do in person', async () => {
    await startRecorder()
    const api = await startApi()
    await api.ask('GET', '/orders', at.tokens.own)
    await api.ask('PUT', '/email', at.tokens.own)
    await api.ask('GET', '/orders?q=x', at.tokens.acted)
    await api.ask('PUT', '/email', at.tokens.acted)
    const rows = await at.recorded(2)
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
    const ids = (await at.recorded(120)).map(({ use }) => use.useId)
    expect(ids).to.have.lengthOf(120)
    expect(new Set(ids).size).to.equal(120)
    expect(api.log).to.include('uses wait:').and.not.include('not recorded')
  })

  it('I13: too many that wait: the number of those that are dropped is recorded', async () => {
    const api = await startApi({ MOST_WAITING: '5' })
    await asks(api, 30)
    await startRecorder()
    expect(await api.stop()).to.equal(0)
    const uses = (await at.recorded(6)).map(({ use }) => use)
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
    const { deployment } = at
    const [resource, scope] = [RECORDER, 'uses:write']
    const acted = await deployment.exchange({ resource, scope })
    const user = await signIn(deployment, 'alice', { scope: `openid ${scope}`, resource })
    const refused = {
      other: await deployment.m2mToken({ resource, scope }, ['other', 'other-secret']),
      poor: await deployment.m2mToken({ resource, scope: 'uses:read' }),
      user: user.access_token,
      acted: String(acted.body.access_token),
    }
    for (const [name, token] of Object.entries(refused)) {
      expect((await recorder.ask('POST', '/uses', token)).status, name).to.equal(403)
    }
  })
})
