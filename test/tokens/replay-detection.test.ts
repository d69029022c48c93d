import { expect } from 'chai'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import pg from 'pg'
import { createClient } from 'redis'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { createPostgresAdapter } from '../../src/adapters/postgres/index.ts'
import { createRedisAdapter } from '../../src/adapters/redis/index.ts'
import { createSqliteAdapter } from '../../src/adapters/sqlite/index.ts'
import type { StorageSpec } from '../proofs/storage.ts'
import { onStores } from '../proofs/stores.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { athOf, dpopKey } from '../support/dpop.ts'
import { memoryAdapterWith } from '../support/faulty-adapter.ts'
import type { Answer } from '../support/http.ts'
import {
  type AdapterFactory,
  COPIES,
  lookingTogether,
  together,
} from '../support/looking-together.ts'

interface OpenStore {
  adapter: AdapterFactory
  close(): Promise<void>
}

const assertionKeys = await generateKeyPair('ES256')

describe('replay detection', () => {
  describe('in memory', () =>
    oneOfTwenty(async () => ({ adapter: createMemoryAdapter(), close: async () => {} })))
  onStores(['sqlite', 'node-redis', 'pg'], (store) => oneOfTwenty(() => open(store.spec())))

  it('an adapter that cannot say who claimed the record: nobody passes', async () => {
    const consumeOnce = () => Promise.reject(new Error('down'))
    const sound = createMemoryAdapter()
    const unsure = memoryAdapterWith({ consumeOnce })
    const deployment = await deployOn((model) =>
      model === 'ReplayDetection' ? unsure(model) : sound(model),
    )
    const statuses = (await exchanges(deployment)).map(({ status }) => status)
    expect(statuses).to.include(500).and.not.include(200)
    await deployment.close()
  })
})

function oneOfTwenty(openStore: () => Promise<OpenStore>): void {
  let deployment: Deployment
  // Where the server is missing, nothing is opened.
  let close = async () => {}
  before(async () => {
    const store = await openStore()
    close = () => store.close()
    deployment = await deployOn(store.adapter)
    close = async () => {
      await deployment.close()
      await store.close()
    }
  })
  after(() => close())

  it('one of 20 copies of a DPoP proof passes an exchange, all others keep their subject token', async () => {
    const answers = await exchanges(deployment)
    expect(outcomes(answers)).to.deep.equal(['200 ', ...losers('400 invalid_grant')])
    const again = await Promise.all(
      answers.map(({ subject_token }) => deployment.exchange({ subject_token })),
    )
    expect(again.filter(({ status }) => status === 200)).to.have.length(COPIES - 1)
  })

  it('one of 20 copies of a DPoP proof passes the management API', async () => {
    const key = await dpopKey()
    const { body } = await deployment.post(
      '/oidc/token',
      { grant_type: 'client_credentials', resource: deployment.management, scope: 'impersonate' },
      {
        authorization: `Basic ${btoa('backend:backend-secret')}`,
        dpop: await key.proof({ htu: `${deployment.issuer}/token` }),
      },
    )
    const token = body.access_token
    const htu = `${deployment.management}/subject-tokens`
    const headers = {
      authorization: `DPoP ${token}`,
      dpop: await key.proof({ htu, ath: athOf(token) }),
    }
    const answers = await together(() => deployment.issue({ userId: 'alice' }, { token, headers }))
    expect(outcomes(answers)).to.deep.equal(['201 ', ...losers('401 invalid_token')])
  })

  it('one of 20 copies of a client assertion authenticates', async () => {
    const client_assertion = await new SignJWT({ jti: 'one' })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer('asserted')
      .setSubject('asserted')
      .setAudience(deployment.issuer)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(assertionKeys.privateKey)
    const answers = await together(() =>
      deployment.post('/oidc/token', {
        grant_type: 'client_credentials',
        resource: deployment.orders,
        scope: 'orders:read',
        client_assertion,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      }),
    )
    expect(outcomes(answers)).to.deep.equal(['200 ', ...losers('401 invalid_client')])
  })
}

async function open({ driver, location, namespace }: StorageSpec): Promise<OpenStore> {
  if (driver === 'sqlite') {
    const adapter = createSqliteAdapter({ file: location })
    return { adapter, close: async () => adapter.close() }
  }
  if (driver === 'pg') {
    const pool = new pg.Pool({ connectionString: location })
    const adapter = createPostgresAdapter({ pool, table: namespace })
    return { adapter, close: () => pool.end() }
  }
  const client = await createClient({ url: location }).connect()
  const adapter = createRedisAdapter({ client, keyPrefix: namespace })
  return { adapter, close: () => client.close() }
}

async function deployOn(adapter: AdapterFactory): Promise<Deployment> {
  return deploy({
    configuration: {
      adapter: lookingTogether(adapter),
      features: { dPoP: { enabled: true } },
    },
    clients: [
      {
        client_id: 'asserted',
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'ES256',
        jwks: { keys: [{ ...(await exportJWK(assertionKeys.publicKey)), kty: 'EC' }] },
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
  })
}

/** One proof, and for each copy of it a subject token of its own. */
async function exchanges(
  deployment: Deployment,
): Promise<Array<Answer & { subject_token: string }>> {
  const dpop = await (await dpopKey()).proof({ htu: `${deployment.issuer}/token` })
  return together(async () => {
    const subject_token = await deployment.subjectToken()
    return { ...(await deployment.exchange({ subject_token }, { dpop })), subject_token }
  })
}

function outcomes(answers: readonly Answer[]): string[] {
  return answers.map(({ status, body }) => `${status} ${body.error ?? ''}`).sort()
}

function losers(outcome: string): string[] {
  return Array(COPIES - 1).fill(outcome)
}
