import { createServer } from 'node:http'
import { expect } from 'chai'
import { freePort } from '../adapters/servers.ts'
import { signIn } from '../support/sign-in.ts'
import { listening } from '../support/token-issuer.ts'
import { type Recording, recording } from './recorded-uses.ts'
import type { ServerProcess } from './server-process.ts'

/** Where the API finds the recorder, with what goes wrong on the way. */
interface Way {
  readonly origin: string
  trouble: 'none' | 'closed' | 'answer lost'
  close(): void
}

/** A proxy to a port of this machine. */
async function wayTo(port: number): Promise<Way> {
  const server = createServer(async (request, response) => {
    if (way.trouble === 'closed') return response.writeHead(503).end()
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const answer = await fetch(`http://127.0.0.1:${port}${url}`, {
      method,
      headers: { authorization: String(headers.authorization), 'content-type': 'application/json' },
      body: Buffer.concat(chunks),
    })
    if (way.trouble === 'answer lost') {
      way.trouble = 'none'
      return request.socket.destroy()
    }
    response.writeHead(answer.status).end(await answer.text())
  })
  const way: Way = {
    origin: await listening(server),
    trouble: 'none',
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return way
}

describe('docs/your-apis.md: recording over HTTP', function () {
  this.timeout(60_000)
  let port: number
  let way: Way
  let at: Recording
  let recorder: ServerProcess

  beforeEach(async () => {
    port = await freePort()
    way = await wayTo(port)
    at = await recording({
      resources: {
        [way.origin]: {
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
    recorder = await at.launch('receive-uses.ts', {
      PORT: String(port),
      RECORDER: way.origin,
      SENDERS: 'backend',
    })
  })
  afterEach(async () => {
    await at[Symbol.asyncDispose]()
    way.close()
  })

  const startApi = (environment: Record<string, string> = {}) =>
    at.launch('orders-api.ts', {
      RECORDER: way.origin,
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
    const api = await startApi()
    const statusOf = async (method: string, path: string, token: string) =>
      (await api.ask(method, path, token)).status
    expect(await statusOf('GET', '/orders', at.tokens.own)).to.equal(200)
    expect(await statusOf('PUT', '/email', at.tokens.own)).to.equal(204)
    expect(await statusOf('GET', '/orders?q=x', at.tokens.acted)).to.equal(200)
    expect(await statusOf('PUT', '/email', at.tokens.acted)).to.equal(403)
    const rows = await at.recorded(2)
    expect(rows.map(({ sender }) => sender)).to.deep.equal(['backend', 'backend'])
    const who = { userId: 'alice', client: 'console', actor: { sub: 'olivia' } }
    const [read, refused] = rows.map(({ use }) => use)
    expect(read).to.deep.include({ ...who, method: 'GET', path: '/orders', status: 200 })
    expect(refused).to.deep.include({ ...who, method: 'PUT', path: '/email', status: 403 })
    expect(refused?.refused).to.include({ by: 'impersonation' })
  })

  it('a recorder that is away, and an answer that is lost: all of it is recorded afterwards, once', async () => {
    way.trouble = 'closed'
    const api = await startApi()
    await asks(api, 120)
    way.trouble = 'answer lost'
    await at.recorded(120)
    expect(await api.stop()).to.equal(0)
    const ids = (await at.recorded(120)).map(({ use }) => use.useId)
    expect(ids).to.have.lengthOf(120)
    expect(new Set(ids).size).to.equal(120)
    expect(api.log).to.include('uses wait: the recorder answers 503')
    // The recorder took the copy, too: it would come again and again.
    expect(api.log).to.not.match(/recorder answers 4|not recorded/)
  })

  it('I13: too many that wait: the number of those that are dropped is recorded', async () => {
    way.trouble = 'closed'
    const api = await startApi({ MOST_WAITING: '5' })
    await asks(api, 30)
    way.trouble = 'none'
    expect(await api.stop()).to.equal(0)
    const uses = (await at.recorded(6)).map(({ use }) => use)
    const dropped = uses.reduce((sum, use) => sum + Number(use.dropped ?? 0), 0)
    expect(dropped).to.be.above(15)
    expect(uses.filter((use) => !('dropped' in use)).length + dropped).to.equal(30)
    expect(api.log).to.include('too many uses of impersonations wait')
  })

  it('an API that ends while the recorder is away writes the rest to its log', async () => {
    way.trouble = 'closed'
    const api = await startApi()
    await asks(api, 3)
    expect(await api.stop()).to.equal(0)
    expect(api.log.match(/^not recorded: \{.*"path":"\/orders".*\}$/gm)).to.have.lengthOf(3)
  })

  it('the recorder believes no other machine, no user, no operator, and no other scope', async () => {
    const { deployment } = at
    const [resource, scope] = [way.origin, 'uses:write']
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const subject_token = await deployment.subjectToken()
    const acted = await deployment.exchange({ subject_token, actor_token, resource, scope })
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
