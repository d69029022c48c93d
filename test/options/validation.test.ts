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

  const hole = Object.assign([], { 1: 'backend' })
  /** Values that are refused, by the path of the option. */
  const wrong: Record<string, unknown[]> = {
    enable: [true],
    enabled: ['yes'],
    managementApi: ['https://id.example.com/api'],
    'managementApi.resource': ['/api', 'https://x/#a'],
    'managementApi.resourse': ['x'],
    'managementApi.scope': ['two scopes', ''],
    'managementApi.prefix': ['api', '/api/', '/:tenant'],
    'managementApi.tokenTtl': [0, '600'],
    'managementApi.tokenFormat': ['paseto'],
    'managementApi.clients': ['backend', () => true, null, { read: [] }],
    'managementApi.clients.issue': ['backend', [''], hole],
    'managementApi.requireBinding': [['sub'], sparse],
    'subjectToken.singleUse': [false],
    'accessToken.maxTtl': [86401],
    'actorToken.required': [1],
    'actorToken.scope': ['a b'],
    'actorToken.maxAge': [0],
    'actorToken.sameClient': ['yes', []],
    'actorToken.grantClaim': ['yes'],
    'limits.userIdLength': [0],
    'limits.contextBytes': [-1],
    'limits.bodyBytes': [Infinity],
    getCustomJwtClaims: [{}],
    environmentVariables: [{ A: 1 }],
    allowSelfRegisteredClients: [['a']],
    softwareActors: ['copilot'],
    authorize: [true],
    contextSchema: [{}],
  }
  const optionsOf = (path: string, value: unknown): object =>
    path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object
  const refused: Array<[path: string, options: object]> = [
    ...Object.entries(wrong).flatMap(([path, values]) =>
      values.map((value): [string, object] => [`.${path}`, optionsOf(path, value)]),
    ),
    ['', []],
    ['.managementApi.resource', { enabled: true }],
    [
      '.managementApi.clients',
      { enabled: true, managementApi: { resource: managementApi.resource } },
    ],
    ...[{ read: true }, { end: [1] }, { delete: [] }].map((more): [string, object] => [
      `.managementApi.clients.${Object.keys(more)[0]}`,
      { managementApi: { clients: { issue: [], ...more } } },
    ]),
    ['.__proto__', JSON.parse('{"__proto__":{}}')],
  ]
  for (const [path, options] of refused) {
    it(`refuses ${JSON.stringify(options)} by its dotted path`, () => {
      expect(() => new ImpersonationFeature(options as ImpersonationOptions))
        .to.throw(TypeError)
        .with.property('message')
        .that.satisfies((text: string) =>
          text.replace('[0] ', ' ').startsWith(`features.impersonation${path} `),
        )
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
