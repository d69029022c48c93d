import { expect } from 'chai'
import { ImpersonationFeature, type ImpersonationOptions, Provider } from '../../src/index.ts'
import { resolveOptions } from '../../src/options/defaults.ts'

/** With a hole, which `every` would skip. */
const sparse = Object.assign([], { 1: 'mayAct' })
const managementApi = { resource: 'https://id.example.com/api', clients: ['backend'] }

describe('options', () => {
  it('the defaults are those of the documentation', () => {
    expect(resolveOptions({ enabled: true, managementApi })).to.deep.equal({
      enabled: true,
      managementApi: {
        resource: 'https://id.example.com/api',
        scope: 'impersonate',
        prefix: '/api',
        tokenTtl: 600,
        tokenFormat: 'jwt',
        clients: { issue: ['backend'], read: [], end: [] },
        requireBinding: [],
      },
      allowSelfRegisteredClients: false,
      applications: [],
      subjectToken: { singleUse: 'adapter' },
      accessToken: { maxTtl: 3600 },
      actorToken: {
        required: false,
        scope: 'openid',
        sameClient: false,
        grantClaim: true,
      },
      softwareActors: [],
      ending: { onReplay: 'end', endWithOperator: true },
      limits: {
        userIdLength: 255,
        contextBytes: 4096,
        bodyBytes: 16384,
      },
      environmentVariables: {},
    })
  })

  it('undefined means absent', () => {
    const given = {
      enabled: true,
      managementApi,
      subjectToken: undefined,
      limits: { bodyBytes: undefined },
    }
    expect(resolveOptions(given).limits.bodyBytes).to.equal(16384)
  })

  it('managementApi.clients is required, and the error says what to write', () => {
    const { resource } = managementApi
    for (const missing of [{ resource }, { resource, clients: undefined }]) {
      expect(() => resolveOptions({ enabled: true, managementApi: missing }))
        .to.throw(TypeError, /clients is required/)
        .with.property('message')
        .that.includes("['backend']")
    }
    expect(resolveOptions({ managementApi: { resource } }).enabled).to.equal(false)
  })

  it('managementApi.clients: a list is short for { issue }, and may be empty', () => {
    const clients = (given: object) =>
      resolveOptions({ enabled: true, managementApi: { ...managementApi, clients: given as [] } })
        .managementApi.clients
    const rule = () => true
    expect(clients([])).to.deep.equal({ issue: [], read: [], end: [] })
    expect(clients({ issue: rule, end: ['on-call'] })).to.deep.equal({
      issue: rule,
      read: [],
      end: ['on-call'],
    })
  })

  it('what is resolved is frozen, and a copy', () => {
    const environmentVariables: Record<string, string> = { A: '1' }
    const resolved = resolveOptions({ enabled: true, managementApi, environmentVariables })
    environmentVariables.A = '2'
    expect(resolved.environmentVariables).to.deep.equal({ A: '1' })
    for (const part of [
      resolved,
      resolved.managementApi,
      resolved.managementApi.clients,
      resolved.managementApi.clients.issue,
      resolved.environmentVariables,
    ]) {
      expect(part).to.satisfy(Object.isFrozen)
    }
  })

  const wrong: Array<[path: string, options: Record<string, unknown>]> = [
    ['features.impersonation', [] as never],
    ['features.impersonation.enable', { enable: true }],
    ['features.impersonation.enabled', { enabled: 'yes' }],
    ['features.impersonation.managementApi', { managementApi: 'https://id.example.com/api' }],
    ['features.impersonation.managementApi.resource', { enabled: true }],
    ['features.impersonation.managementApi.resource', { managementApi: { resource: '/api' } }],
    [
      'features.impersonation.managementApi.resource',
      { managementApi: { resource: 'https://x/#a' } },
    ],
    ['features.impersonation.managementApi.resourse', { managementApi: { resourse: 'x' } }],
    ['features.impersonation.managementApi.scope', { managementApi: { scope: 'two scopes' } }],
    ['features.impersonation.managementApi.scope', { managementApi: { scope: '' } }],
    ['features.impersonation.managementApi.prefix', { managementApi: { prefix: 'api' } }],
    ['features.impersonation.managementApi.prefix', { managementApi: { prefix: '/api/' } }],
    ['features.impersonation.managementApi.prefix', { managementApi: { prefix: '/:tenant' } }],
    ['features.impersonation.managementApi.tokenTtl', { managementApi: { tokenTtl: 0 } }],
    ['features.impersonation.managementApi.tokenTtl', { managementApi: { tokenTtl: '600' } }],
    [
      'features.impersonation.managementApi.tokenFormat',
      { managementApi: { tokenFormat: 'paseto' } },
    ],
    ['features.impersonation.managementApi.clients', { managementApi: { clients: 'backend' } }],
    ['features.impersonation.managementApi.clients', { managementApi: { clients: () => true } }],
    ['features.impersonation.managementApi.clients', { managementApi: { clients: null } }],
    ['features.impersonation.managementApi.clients', { managementApi: { clients: { read: [] } } }],
    [
      'features.impersonation.managementApi.clients',
      { enabled: true, managementApi: { resource: 'https://id.example.com/api' } },
    ],
    ['features.impersonation.managementApi.clients.issue', { managementApi: { clients: [''] } }],
    [
      'features.impersonation.managementApi.clients.issue',
      { managementApi: { clients: Object.assign([], { 1: 'backend' }) } },
    ],
    [
      'features.impersonation.managementApi.clients.issue',
      { managementApi: { clients: { issue: 'backend' } } },
    ],
    [
      'features.impersonation.managementApi.clients.read',
      { managementApi: { clients: { issue: [], read: true } } },
    ],
    [
      'features.impersonation.managementApi.clients.end',
      { managementApi: { clients: { issue: [], end: [1] } } },
    ],
    [
      'features.impersonation.managementApi.clients.delete',
      { managementApi: { clients: { issue: [], delete: [] } } },
    ],
    ['features.impersonation.subjectToken.singleUse', { subjectToken: { singleUse: false } }],
    ['features.impersonation.accessToken.maxTtl', { accessToken: { maxTtl: 86401 } }],
    ['features.impersonation.actorToken.required', { actorToken: { required: 1 } }],
    ['features.impersonation.actorToken.scope', { actorToken: { scope: 'a b' } }],
    ['features.impersonation.limits.userIdLength', { limits: { userIdLength: 0 } }],
    ['features.impersonation.limits.contextBytes', { limits: { contextBytes: -1 } }],
    ['features.impersonation.limits.bodyBytes', { limits: { bodyBytes: Infinity } }],
    ['features.impersonation.getCustomJwtClaims', { getCustomJwtClaims: {} }],
    ['features.impersonation.environmentVariables', { environmentVariables: { A: 1 } }],
    [
      'features.impersonation.managementApi.requireBinding',
      { managementApi: { requireBinding: ['sub'] } },
    ],
    [
      'features.impersonation.managementApi.requireBinding',
      { managementApi: { requireBinding: sparse } },
    ],
    ['features.impersonation.actorToken.maxAge', { actorToken: { maxAge: 0 } }],
    ['features.impersonation.actorToken.sameClient', { actorToken: { sameClient: 'yes' } }],
    ['features.impersonation.actorToken.sameClient', { actorToken: { sameClient: [] } }],
    ['features.impersonation.actorToken.grantClaim', { actorToken: { grantClaim: 'yes' } }],
    ['features.impersonation.allowSelfRegisteredClients', { allowSelfRegisteredClients: ['a'] }],
    ['features.impersonation.softwareActors', { softwareActors: 'copilot' }],
    ['features.impersonation.authorize', { authorize: true }],
    ['features.impersonation.contextSchema', { contextSchema: {} }],
    ['features.impersonation.__proto__', JSON.parse('{"__proto__":{}}')],
  ]
  for (const [path, options] of wrong) {
    it(`refuses ${JSON.stringify(options)} by its dotted path`, () => {
      expect(() => new ImpersonationFeature(options as ImpersonationOptions))
        .to.throw(TypeError)
        .with.property('message')
        .that.satisfies((message: string) => message.startsWith(`${path} `))
    })
  }

  it('the provider refuses them at start-up', () => {
    const features = { impersonation: { enabled: true, managementApi: { scop: 'x' } as never } }
    expect(() => new Provider('https://id.example.com', { features })).to.throw(
      TypeError,
      'features.impersonation.managementApi.scop ',
    )
  })
})
