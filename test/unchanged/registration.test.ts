import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE as EXCHANGE } from '../../src/index.ts'
import { REDIRECT_URI } from '../support/clients.ts'
import type { DeploymentOptions } from '../support/deployment.ts'
import type { Answer } from '../support/http.ts'
import { expectAnswer } from '../support/http.ts'
import { shared } from '../support/shared.ts'
import { comparable, type Side, sideBySide } from '../support/side-by-side.ts'

const CODE = { redirect_uris: [REDIRECT_URI], response_types: ['code' as const] }
const MACHINE = { redirect_uris: [], response_types: [] }

/** Clients that a stranger may try to register. */
const METADATA: Record<string, object> = {
  'a code client': CODE,
  'a machine': { ...MACHINE, grant_types: ['client_credentials'] },
  'the exchange alone': { ...MACHINE, grant_types: [EXCHANGE] },
  'the exchange alone, with the default response type': {
    redirect_uris: [REDIRECT_URI],
    grant_types: [EXCHANGE],
  },
  'the exchange beside codes': { ...CODE, grant_types: ['authorization_code', EXCHANGE] },
  'the exchange, public': {
    ...CODE,
    grant_types: ['authorization_code', EXCHANGE],
    token_endpoint_auth_method: 'none',
  },
  'a machine that exchanges': { ...MACHINE, grant_types: ['client_credentials', EXCHANGE] },
  'the exchange twice': { ...CODE, grant_types: [EXCHANGE, EXCHANGE, 'authorization_code'] },
  'the exchange as a string': { ...CODE, grant_types: EXCHANGE },
  'the exchange in a list of its own': { ...CODE, grant_types: [[EXCHANGE]] },
  'the exchange in capitals': { ...CODE, grant_types: [EXCHANGE.toUpperCase()] },
  'the exchange beside a grant type that does not exist': {
    ...CODE,
    grant_types: ['authorization_code', EXCHANGE, 'urn:nothing'],
  },
  'no grant types': { ...CODE, grant_types: [] },
  'grant types that are null': { ...CODE, grant_types: null },
  'the scope of the management API': { ...MACHINE, scope: 'impersonate' },
}

const registering = (): DeploymentOptions => ({
  impersonation: { managementApi: { clients: ['backend'] } },
  configuration: {
    features: {
      registration: { enabled: true },
      registrationManagement: { enabled: true, rotateRegistrationAccessToken: false },
    },
  },
})

const register = (side: Side, metadata: object) => side.json('POST', '/oidc/reg', metadata)

describe('I12: clients that register themselves, with impersonation and without', () => {
  const sides = shared(() => sideBySide(registering))

  async function expectSame(request: (side: Side) => Promise<Answer>): Promise<Answer> {
    const [plain, ours] = [await request(sides.plain), await request(sides.ours)]
    expect(comparable(sides.ours, ours)).to.deep.equal(comparable(sides.plain, plain))
    return ours
  }

  for (const [what, metadata] of Object.entries(METADATA)) {
    it(`registration answers word for word the same to ${what}`, async () => {
      const answer = await expectSame((side) => register(side, metadata))
      if (JSON.stringify(metadata).includes(EXCHANGE)) {
        await expectAnswer(answer, 400, 'invalid_client_metadata')
      }
    })

    it(`and so does an update of a client to ${what}`, async () => {
      await expectSame(async (side) => {
        const { body } = await register(side, CODE)
        const { client_id, client_secret, registration_access_token: token } = body
        const update = { ...metadata, client_id, client_secret }
        const updated = await side.json('PUT', `/oidc/reg/${client_id}`, update, token)
        const after = await side.json('GET', `/oidc/reg/${client_id}`, undefined, token)
        return { ...updated, body: [updated.body, after.body] }
      })
    })
  }

  it('registrations, refused or not, and many at once, take the grant from no other client and change nothing for each other', async () => {
    const refused = METADATA['the exchange beside codes'] ?? {}
    const bodies = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? CODE : refused))
    const answers = await Promise.all(bodies.map((body) => register(sides.ours, body)))
    const statuses = bodies.map((body) => (body === CODE ? 201 : 400))
    expect(answers.map(({ status }) => status)).to.deep.equal(statuses)
    const { body } = await sides.ours.json('GET', '/oidc/.well-known/openid-configuration')
    expect(body.grant_types_supported).to.include(EXCHANGE)
    const console = await sides.ours.provider.Client.find('console')
    expect(console?.grantTypeAllowed(EXCHANGE)).to.equal(true)
  })
})

describe('I12: what oidc-provider documents for loosening client metadata', () => {
  it('Client.Schema.prototype.invalidate works as before, for stored and for registering clients', async () => {
    await using sides = await sideBySide(registering)
    for (const side of [sides.plain, sides.ours]) {
      const { Schema } = side.provider.Client as unknown as {
        Schema: { prototype: { invalidate(message: string, code?: string): void } }
      }
      const { invalidate } = Schema.prototype
      Schema.prototype.invalidate = function loosened(message, code) {
        if (code !== 'implicit-force-https') Reflect.apply(invalidate, this, [message, code])
      }
      const implicit = {
        redirect_uris: ['http://app.example.com/callback'],
        response_types: ['id_token'],
        grant_types: ['implicit'],
      }
      await expectAnswer(register(side, implicit), 201)
      const strict = { ...implicit, redirect_uris: ['http://localhost/callback'] }
      await expectAnswer(register(side, strict), 400)
    }
  })
})

describe('I12: client-id metadata documents, with impersonation and without', () => {
  /** The provider fetches documents by what the configuration says: from here. */
  const documents = (): DeploymentOptions => ({
    configuration: {
      features: { clientIdMetadataDocument: { enabled: true, ack: 'draft-02' } },
      fetch: async (url: URL | string | Request) => {
        const { pathname, href } = new URL(String(url))
        const metadata = Object.values(METADATA)[Number(pathname.slice(1))]
        return Response.json({
          token_endpoint_auth_method: 'none',
          ...metadata,
          client_id: href,
        })
      },
    },
  })
  const sides = shared(() => sideBySide(documents))

  for (const [at, what] of Object.keys(METADATA).entries()) {
    it(`the token endpoint answers the same to ${what}, whatever grant it asks for`, async () => {
      const client_id = `https://client.example.com/${at}`
      const listed = new Set<unknown>()
      for (const grant_type of ['authorization_code', 'client_credentials', EXCHANGE]) {
        const answers: unknown[] = []
        for (const side of [sides.plain, sides.ours]) {
          // Twice: the second time the document comes from the provider's cache.
          for (const _ of ['fetched', 'cached']) {
            const answer = await side.post('/oidc/token', { grant_type, client_id })
            // A grant type that exists, but not for this client, has another error: still 400.
            answers.push(grant_type === EXCHANGE ? answer.status : comparable(side, answer))
          }
          listed.add(JSON.stringify(await grantTypesOf(side, client_id)))
        }
        expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).to.equal(1)
      }
      expect(listed.size).to.equal(1)
      expect([...listed].join()).to.not.include(EXCHANGE)
    })
  }
})

async function grantTypesOf(side: Side, clientId: string): Promise<unknown> {
  try {
    return (await side.provider.Client.find(clientId))?.grantTypes
  } catch (error) {
    return String(error)
  }
}

describe('allowSelfRegisteredClients', () => {
  it('true lets them register for the exchange, and issue no more than before', async () => {
    await using sides = await sideBySide(() => ({
      ...registering(),
      impersonation: { ...registering().impersonation, allowSelfRegisteredClients: true },
    }))
    const registered = register(sides.ours, METADATA['a machine that exchanges'] ?? {})
    const { body } = await expectAnswer(registered, 201)
    expect(body.grant_types).to.deep.equal(['client_credentials', EXCHANGE])
    const asked = sides.ours.post('/oidc/token', {
      grant_type: 'client_credentials',
      client_id: body.client_id,
      client_secret: body.client_secret,
      resource: `${sides.ours.base}/api`,
    })
    await expectAnswer(asked, 400, 'invalid_target')
  })

  it('false changes nothing for clients of the configuration and of the storage', async () => {
    const adapter = createMemoryAdapter()
    await using sides = await sideBySide(() => ({ adapter }))
    const { Client } = sides.ours.provider
    const clients = adapter('Client')
    const stored = { ...CODE, client_id: 'stored', token_endpoint_auth_method: 'none' as const }
    await clients.upsert('stored', { ...stored, grant_types: ['authorization_code', EXCHANGE] })
    expect((await Client.find('stored'))?.grantTypeAllowed(EXCHANGE)).to.equal(true)
    expect((await Client.find('console'))?.grantTypeAllowed(EXCHANGE)).to.equal(true)
  })
})
