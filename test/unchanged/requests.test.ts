import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { blocksOf } from '../docs/documents.ts'
import { basic } from '../support/deployment.ts'
import type { DeploymentOptions } from '../support/deployment-configuration.ts'
import { differences } from '../support/differences.ts'
import type { Answer, Form } from '../support/http.ts'
import { claimsOf } from '../support/own-hooks.ts'
import { shared } from '../support/shared.ts'
import { comparable, type Side, sideBySide } from '../support/side-by-side.ts'
import { signIn } from '../support/sign-in.ts'

const EMPTY = { status: 0, headers: new Headers() }

describe('I12: requests that have nothing to do with impersonation', () => {
  const models = new Map<string, Set<string>>()
  /** A deployment that does a little of everything, and notes which models it stores. */
  const options = (): DeploymentOptions => {
    const memory = createMemoryAdapter()
    const used = new Set<string>()
    models.set(models.size === 0 ? 'plain' : 'ours', used)
    return {
      configuration: {
        adapter: (model) => {
          used.add(model)
          return memory(model)
        },
        // Names that mean something in an impersonated token are the deployment's in others.
        extraTokenClaims: () => ({
          ...{ tier: 'gold', 'urn:claim': { a: [1, null, 'x'] } },
          ...{ auth_time: 7, status: 'gold', impersonation_id: 'own' },
        }),
        issueRefreshToken: async () => true,
        features: { dPoP: { enabled: true } },
      },
      resources: {
        'https://broken.example': { scope: 7 },
        'https://trojan.example': { scope: 'impersonate', accessTokenFormat: 'jwt' },
      },
    }
  }
  const sides = shared(() => sideBySide(options))

  const onBoth = async (request: (side: Side) => Promise<unknown>) => [
    await request(sides.plain),
    await request(sides.ours),
  ]

  it('discovery: one grant type more, and three endpoints', async () => {
    const [plain, ours] = await onBoth(async (side) => {
      const { body } = await side.json('GET', '/oidc/.well-known/openid-configuration')
      return JSON.parse(JSON.stringify(body).replaceAll(side.base, 'https://base'))
    })
    const [diff = ''] = await blocksOf('what-changes.md', 'diff')
    const added = [...diff.matchAll(/^\+ +"(\w+)": "(.*?)"/gm)].map(([, name, url]) => [name, url])
    const [grantType, ...others] = differences(plain, ours).toSorted()
    expect(grantType).to.match(/^grant_types_supported\.\d+$/)
    expect(diff).to.include(`+    "${TOKEN_EXCHANGE_GRANT_TYPE}"`)
    expect(JSON.stringify(ours)).to.include(TOKEN_EXCHANGE_GRANT_TYPE)
    expect(others).to.have.members(added.map(([name]) => name))
    for (const [name = '', url = ''] of added) {
      expect(Object(ours)[name]).to.equal(url.replace('https://id.example.com', 'https://base'))
    }
  })

  const CLIENTS = ['backend', 'web', 'console', 'plain', 'nobody']
  const RESOURCES = [
    '/orders',
    '/opaque',
    'https://broken.example',
    'https://trojan.example',
    '/nothing',
    'no uri',
    undefined,
  ]
  for (const client of CLIENTS) {
    it(`every other resource: the same answers to ${client}, and the same claims`, async () => {
      for (const resource of RESOURCES) {
        for (const scope of [undefined, 'orders:read', 'openid impersonate']) {
          const [plain, ours] = await onBoth(async (side) => {
            const form: Form = {
              grant_type: 'client_credentials',
              resource: resource?.startsWith('/') ? `${side.base}${resource}` : resource,
              scope,
            }
            const secret = { backend: 'backend-secret', web: 'web-secret' }[client]
            const answer = await (secret
              ? side.post('/oidc/token', form, basic(client, secret))
              : side.post('/oidc/token', { ...form, client_id: client }))
            return [comparable(side, answer), await contentOf(side, answer.body.access_token)]
          })
          expect(ours, `${resource} ${scope}`).to.deep.equal(plain)
        }
      }
    })
  }

  it('people: sign-in, refresh, userinfo, introspection; one claim more in JWTs with openid', async () => {
    const [plain, ours] = await onBoth(async (side) => {
      const seen: unknown[] = []
      for (const resource of [undefined, `${side.base}/orders`, `${side.base}/opaque`]) {
        const scope = 'openid offline_access orders:read'
        const signedIn = await signIn(side, 'olivia', { scope, ...(resource ? { resource } : {}) })
        const { code: _, cookie: __, ...body } = signedIn
        seen.push(comparable(side, { ...EMPTY, body }))
        const refreshed = await side.post('/oidc/token', {
          grant_type: 'refresh_token',
          client_id: 'console',
          refresh_token: signedIn.refresh_token,
          resource,
        })
        seen.push(comparable(side, refreshed))
        for (const token of [signedIn.access_token, refreshed.body.access_token]) {
          seen.push(await contentOf(side, token))
          const userinfo = await side.json('GET', '/oidc/me', undefined, token)
          seen.push(comparable(side, userinfo))
        }
        seen.push(await contentOf(side, signedIn.id_token))
      }
      return seen
    })
    expect(JSON.stringify(plain)).to.include('"sub":"olivia"').and.include('"tier":"gold"')
    const added = differences(plain, ours)
    expect(added.map((path) => path.split('.').at(-1))).to.deep.equal([
      'op_grant_id',
      'op_grant_id',
    ])
  })

  const told = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    return `${status} ${body.error ?? 'issued'}`
  }

  it('the resource of the management API: a token for clients that are named', async () => {
    const answers = await onBoth((side) => {
      const form = { grant_type: 'client_credentials', resource: `${side.base}/api` }
      return told(side.post('/oidc/token', form, basic('backend', 'backend-secret')))
    })
    expect(answers).to.deep.equal(['400 invalid_target', '200 issued'])
  })

  it('the exchange grant to a client that does not list it: invalid_request, not unsupported_grant_type', async () => {
    const form = { grant_type: TOKEN_EXCHANGE_GRANT_TYPE, client_id: 'plain' }
    const answers = await onBoth((side) => told(side.post('/oidc/token', form)))
    expect(answers).to.deep.equal(['400 unsupported_grant_type', '400 invalid_request'])
  })

  it('storage: one model more', async () => {
    const [plain = new Set(), ours = new Set()] = [models.get('plain'), models.get('ours')]
    expect(plain).to.include('RefreshToken')
    expect([...ours].toSorted()).to.deep.equal([...plain, 'SubjectToken'].toSorted())
  })
})

/** Returns the contents of a token: its claims, or its introspection. */
async function contentOf(side: Side, token: unknown): Promise<unknown> {
  if (typeof token !== 'string') return undefined
  return comparable(side, { ...EMPTY, body: await claimsOf(side, token) })
}
