import { createServer } from 'node:http'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { type Configuration, Provider } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { GetCustomJwtClaims } from '../../src/index.ts'
import { type Deployment, deploy, signingKey } from '../support/deployment.ts'
import { answerOf, urlencoded } from '../support/http.ts'
import { signIn } from '../support/sign-in.ts'
import { type Module, type Snippets, snippetsOf } from './documents.ts'

const AT_ONCE = 20

describe('docs/migrating.md', function () {
  this.timeout(60_000)
  let snippets: Snippets
  before(async () => {
    snippets = await snippetsOf('migrating.md')
  })
  after(() => snippets[Symbol.asyncDispose]())

  describe('the two requests, the hook from Logto and the check from Clerk', () => {
    let deployment: Deployment
    let accessToken: string

    before(async () => {
      const { getCustomJwtClaims } = await snippets.load('From Logto')
      deployment = await deploy({
        impersonation: { getCustomJwtClaims: getCustomJwtClaims as GetCustomJwtClaims },
      })
      const { issueSubjectToken } = await snippets.load('The two requests', 0)
      const { exchange } = await snippets.load('The two requests', 1)
      const { base, orders: resource } = deployment
      const subjectToken = await (issueSubjectToken as Issue)(
        { base, clientId: 'backend', clientSecret: 'backend-secret' },
        {
          userId: 'alice',
          mayAct: { sub: 'olivia' },
          context: { ticketId: 'SUP-1', reason: 'lost parcel', supportEngineerId: 'olivia' },
        },
      )
      const { access_token: operatorToken } = await signIn(deployment, 'olivia')
      accessToken = await (exchange as Exchange)(base, {
        clientId: 'console',
        subjectToken,
        operatorToken,
        resource,
      })
    })
    after(() => deployment.close())

    it('lead to a token of the user that names the operator and the ticket', () => {
      const { sub, act, impersonation_context } = decodeJwt(accessToken)
      expect({ sub, act, impersonation_context }).to.deep.equal({
        sub: 'alice',
        act: { sub: 'olivia' },
        impersonation_context: {
          ticket_id: 'SUP-1',
          reason: 'lost parcel',
          support_engineer: 'olivia',
        },
      })
    })

    it('and to an API that knows who acts', async () => {
      const { describeCaller } = await snippets.load('From Clerk')
      const { issuer, orders } = deployment
      const told = await (describeCaller as Describe)(issuer, orders, `Bearer ${accessToken}`)
      expect(told).to.equal('olivia acts as alice')
    })
  })

  it('the rule from Keycloak: those who had the role act, for everyone else than themselves', async () => {
    const { authorize } = await snippets.load('From Keycloak')
    const asks = (actor: string | undefined, accountId: string) =>
      Object(authorize)({ account: { accountId }, actor: actor && { sub: actor } })
    expect(asks('olivia', 'alice')).to.equal(true)
    expect(asks('mallory', 'alice')).to.equal(false)
    expect(asks('olivia', 'henry')).to.equal(false)
    expect(asks(undefined, 'alice')).to.equal(false)
  })

  it('the grant made by hand: as many tokens as requests, and the operator whom the client names', async () => {
    const { registerByHand, actByHand } = await snippets.load('From a grant of your own')
    let used = false
    let looked = 0
    const all = Promise.withResolvers<void>()
    const tickets = {
      // The worst of all orders: each has looked before the first one marks.
      async find() {
        const ticket = { userId: 'alice', used }
        looked += 1
        if (looked >= AT_ONCE) all.resolve()
        await all.promise
        return ticket
      },
      async markUsed() {
        used = true
      },
    }
    await using server = await providerByHand(
      { registerByHand, actByHand },
      tickets as unknown as Module,
    )
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => server.exchange('bob, the innocent')),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(AT_ONCE).fill(200))
    expect(new Set(answers.map(({ body }) => body.access_token)).size).to.equal(AT_ONCE)
    const introspected = await server.introspect(answers[0]?.body.access_token)
    expect(introspected.body.act).to.deep.equal({ sub: 'bob, the innocent' })
    expect((await server.exchange('bob, the innocent')).status).to.equal(400)
  })
})

type Issue = (
  backend: { base: string; clientId: string; clientSecret: string },
  request: { userId: string; mayAct: { sub: string }; context: object },
) => Promise<string>
type Exchange = (base: string, request: Record<string, string>) => Promise<string>
type Describe = (issuer: string, audience: string, authorization: string) => Promise<string>

/** oidc-provider without this package, with the grant of the page. */
async function providerByHand({ registerByHand, actByHand }: Module, tickets: Module) {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const provider = new Provider(base, {
    adapter: createMemoryAdapter(),
    jwks: { keys: [signingKey] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clients: [
      {
        client_id: 'console',
        token_endpoint_auth_method: 'none',
        grant_types: ['urn:ietf:params:oauth:grant-type:token-exchange'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    ttl: { AccessToken: 60, Grant: 60 },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    extraTokenClaims: actByHand as NonNullable<Configuration['extraTokenClaims']>,
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: () => true },
    },
  })
  ;(registerByHand as (provider: Provider, tickets: Module) => void)(provider, tickets)
  server.on('request', provider.callback())
  const post = async (path: string, form: Record<string, string>) =>
    answerOf(
      await fetch(base + path, {
        method: 'POST',
        body: urlencoded({ client_id: 'console', ...form }),
      }),
    )
  return {
    exchange: (actor: string) =>
      post('/token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: 'ticket',
        actor,
      }),
    introspect: (token: string) => post('/token/introspection', { token }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
