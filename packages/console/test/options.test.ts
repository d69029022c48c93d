// Over 250 lines: each option, and what is said where it is wrong.
import { expect } from 'chai'
import { Provider } from 'oidc-provider-impersonation'
import {
  createPermits,
  customerAccountClient,
  type SupportConsoleOptions,
  supportConsole,
  supportConsoleClient,
} from 'oidc-provider-impersonation-console'
import { deploy } from './support/deployment.ts'
import { FRENCH } from './support/french.ts'
import { memoryAudit } from './support/memory-audit.ts'
import { configuration, MACHINE } from './support/provider.ts'

const url = 'https://id.example.com'

const settings = {
  ...{ url, shopUrl: 'https://shop.example.com', consolePath: '/console', accountPath: '/account' },
  ...{ checkStorage: () => {}, accessTokenTtl: 600, sessionTtl: 600 },
}

const application = {
  name: 'Shop',
  url: 'https://shop.example.com/',
  clientId: 'shop',
  resource: `${url}/orders`,
  scopes: { read: 'orders:read', change: 'orders:write' },
}

const good: SupportConsoleOptions = {
  clientId: 'support-console',
  issueAs: MACHINE.clientId,
  role: () => 'operator',
  customers: { search: () => ({ customers: [], more: false }), get: () => undefined },
  applications: [application],
  audit: memoryAudit(),
}

const transport = { sendMail: async () => {} }
const from = 'Shop <a@example.com>'

/** The notices of a console that has the page of the account, and the message. */
const NOTICES: readonly (readonly [notices: object, message: string])[] = [
  [{ send() {}, when: ['begun'] }, 'options.notices.when'],
  [{ send() {}, digest: -1 }, 'options.notices.digest'],
  [{ send() {}, timeZone: 'Mars' }, 'options.notices.timeZone'],
  [{ send: 'mail' }, 'options.notices.send'],
  [{}, 'options.notices must have either'],
  [{ send() {}, transport, from }, 'options.notices must have either'],
  [{ transport }, 'options.notices.transport needs'],
  ...['', 'Shop', 'a@example.com, b@example.com', 'A\r\nBcc: b <a@example.com>'].map(
    (from) => [{ transport, from }, 'options.notices.from must'] as const,
  ),
]

/** What the options are that differ, and the message. */
const WRONG: readonly (readonly [differs: object, message: string])[] = [
  [{ clientID: 'x' }, 'options.clientID is not a known option; known are: clientId, issueAs, role'],
  [{ clientId: undefined }, 'options.clientId is required: the public client'],
  [{ clientId: ' ' }, 'options.clientId must be a non-empty string'],
  [{ issueAs: undefined }, 'options.issueAs is required: a client that managementApi'],
  [
    { issueAs: { ...MACHINE } },
    'options.issueAs must be a non-empty string: a client that managementApi',
  ],
  [{ role: 'operator' }, 'options.role must be a function: (account) => role or undefined'],
  [{ customers: undefined }, 'options.customers is required: search(text, page) and get(id)'],
  [
    { customers: { get() {} } },
    'options.customers must be an object with the method search and the method get',
  ],
  [{ audit: {} }, 'options.audit must be an object with the method open and the method write'],
  [{ brand: {} }, 'options.brand.name is required: the name of the firm'],
  [{ brand: { name: 'A\r\nBcc: x' } }, 'options.brand.name must be a name of 1 to 60 characters'],
  [
    { brand: { name: 'A', logo: 'http://a.example/logo.png' } },
    'options.brand.logo must be an https',
  ],
  [
    { brand: { name: 'A', logo: 'data:text/html;base64,AAAA' } },
    'options.brand.logo must be an https',
  ],
  [{ brand: { name: 'A', logo: 'https://u:p@a.example/' } }, 'options.brand.logo must be an https'],
  [
    { brand: { name: 'A', logo: 'https://a.example;sandbox/logo.png' } },
    'options.brand.logo must be an https',
  ],
  [{ brand: { name: 'A', color: 'red' } }, "options.brand.color must be a color such as '#2f3fb5'"],
  [
    { brand: { name: 'A', color: '#ffcc00' } },
    'options.brand.color #ffcc00 has a contrast of 1.3 to 1 with #eceef3, on which links stand. Text needs 4.5 to 1: take a darker color',
  ],
  [{ applications: [] }, 'options.applications must be a list of applications: { name, url'],
  [{ applications: application }, 'options.applications must be a list of applications'],
  [
    { applications: [undefined] },
    'options.applications[0] must be an object with: name, names, url',
  ],
  [
    { applications: [{ ...application, name: '' }] },
    'options.applications[0].name must be a non-empty string',
  ],
  [
    { applications: [{ ...application, secret: 'x' }] },
    'options.applications[0].secret is not a known option',
  ],
  [
    { applications: [{ ...application, clientId: undefined }] },
    'options.applications[0].clientId is required: the client of the application',
  ],
  [
    { applications: [{ ...application, resource: 1 }] },
    'options.applications[0].resource must be a non-empty string',
  ],
  [
    { applications: [{ ...application, scopes: { change: 'x' } }] },
    'options.applications[0].scopes.read is required: the scope to look at data',
  ],
  [
    { applications: [{ ...application, scopes: { read: 'x', change: '' } }] },
    'options.applications[0].scopes.change must be a non-empty string',
  ],
  [
    { applications: [{ ...application, handOver: 'post' }] },
    'options.applications[0].handOver must be ',
  ],
  ...['/shop', 'http://shop.example.com/', 'javascript:alert(1)', 'https://a:b@shop.example/'].map(
    (address) =>
      [
        { applications: [application, { ...application, clientId: 'other', url: address }] },
        'options.applications[1].url must be an absolute https URL, or an http URL of this machine',
      ] as const,
  ),
  [
    { applications: [application, { ...application, name: 'Again' }] },
    'options.applications[1].clientId is shop again: each application has a client of its own',
  ],
  ...['console', '/console/', '/', '', '/a/../b', '/a b', '/:x'].map(
    (path) => [{ path }, "options.path must be a path such as '/console': it begins"] as const,
  ),
  [{ path: '/oidc' }, "options.path must not be below the issuer's path /oidc"],
  [{ path: '/oidc/console' }, 'options.path must not be below the issuer'],
  [{ url: 'https://id.example.com/console' }, 'options.url must be an https origin without a path'],
  [{ url: 'http://id.example.com' }, 'options.url must be an https origin without a path'],
  [{ durations: [] }, 'options.durations must be a list of seconds, whole numbers'],
  [{ durations: [60, 1.5] }, 'options.durations[1] must be an integer from 1 to 86400'],
  [{ durations: 60 }, 'options.durations must be a list of seconds, whole numbers'],
  ...[0, -1, 3.1, '2', Number.NaN].map((auditTimeout): [object, string] => [
    { auditTimeout },
    'options.auditTimeout must be a number of seconds, more than 0 and at most 3',
  ]),
  [{ ticket: /x/ }, 'options.ticket must be an object with: pattern, example, url'],
  [
    { ticket: { pattern: /SUP-\d+/, example: '7' } },
    'options.ticket.example must match options.ticket.pattern',
  ],
  [{ ticket: { pattern: 'x' } }, 'options.ticket.pattern must be a regular expression'],
  [{ ticket: { pattern: /x/gi } }, 'options.ticket.pattern must be a regular expression'],
  [{ ticket: { pattern: /SUP-{/ } }, 'options.ticket.pattern must be a regular expression'],
  [{ ticket: { url: 'https://x' } }, 'options.ticket.url must be a function'],
  [{ account: {} }, 'options.account.clientId is required: the public client of the page'],
  [{ account: { clientId: 'x', title: '' } }, 'options.account.title is not a known option'],
  [{ account: { clientId: 'x', path: 'account' } }, 'options.account.path must be a path'],
  [{ account: { clientId: 'x', describe: 'x' } }, 'options.account.describe must be a function'],
  [
    { account: { clientId: 'x', path: '/console' } },
    'options.account.path and options.path must be apart from each other',
  ],
  [
    { account: { clientId: 'x', path: '/console/account' } },
    'options.account.path and options.path must be apart',
  ],
  [
    { account: { clientId: 'x', path: '/oidc' } },
    'options.account.path and options.path must be apart',
  ],
  [{ onAlarm: 'mail' }, 'options.onAlarm must be a function'],
  [
    { permits: createPermits({ audit: memoryAudit() }) },
    'options.permits must be made with the audit of options.audit',
  ],
  [{ notices: { send() {} } }, 'options.notices needs options.account'],
  ...NOTICES.map(
    ([notices, message]) => [{ account: { clientId: 'x' }, notices }, message] as const,
  ),
  [{ language: 'fr' }, 'options.language must be one of: en, de. options.words adds a language'],
  [{ language: 'de-AT' }, 'options.language must be one of: en, de'],
  [
    { applications: [{ ...application, names: { fr: 'Boutique' } }] },
    'options.applications[0].names.fr is not one of the languages: en, de. options.words adds',
  ],
  [
    { applications: [{ ...application, names: { de: ' ' } }] },
    'options.applications[0].names must be an object with a name for each language',
  ],
  ...[{ fr: 'Bonjour' }, { fr_CA: {} }, { 'fr-ca': {} }, { french: 1 }, 'fr'].map(
    (words): [object, string] => [
      { words },
      'options.words must be an object with an object of sentences for each language',
    ],
  ),
]

describe('the options of supportConsole()', () => {
  const provider = new Provider(`${url}/oidc`, configuration(settings))
  const build = (differs: object) => () =>
    // Mistakes that the compiler would find: JavaScript has none.
    supportConsole(provider, { ...good, ...differs } as SupportConsoleOptions)

  for (const [differs, message] of WRONG) {
    const [name = ''] = message.split(' ')
    it(`${name}: refuses ${shown(differs)}`, () => {
      expect(build(differs)).to.throw(TypeError, message)
    })
  }

  it('refuses options that are no object', () => {
    const text = 'options' as unknown as SupportConsoleOptions
    expect(() => supportConsole(provider, text)).to.throw(TypeError, 'options must be an object')
  })

  it('accepts http of this machine, and none of the optional ones', () => {
    for (const address of ['http://localhost:3000/', 'http://127.0.0.1:3000/', 'http://[::1]/']) {
      build({ applications: [{ ...application, url: address }] })()
    }
    build({
      ...{ path: undefined, url: undefined, durations: undefined, ticket: undefined },
      ...{ account: undefined, onAlarm: undefined, language: undefined },
    })()
  })

  it('warns once of the sentences that an added language lacks', async () => {
    const warnings: Error[] = []
    const collect = (warning: Error) => warnings.push(warning)
    process.on('warning', collect)
    build({ language: 'fr', words: { fr: FRENCH, it: FRENCH }, account: undefined })()
    await new Promise(setImmediate)
    process.off('warning', collect)
    expect(warnings.map(({ name }) => name)).to.eql(['ImpersonationWarning'])
    expect(warnings[0]?.message).to.match(
      /^options\.words: fr lacks \d+ of \d+ sentences .+; it lacks /,
    )
  })

  it('refuses a provider without impersonation, or whose impersonations cannot end', () => {
    const config = configuration(settings)
    const other = (impersonation: object) =>
      new Provider(`${url}/oidc`, {
        ...config,
        features: { ...config.features, impersonation: { ...impersonation } },
      })
    expect(() => supportConsole(other({}), good)).to.throw(TypeError, 'enabled: true')
    const endless = other({
      ...config.features?.impersonation,
      ending: { enabled: false },
    })
    expect(() => supportConsole(endless, good)).to.throw(
      TypeError,
      'impersonations that can be seen and ended',
    )
    const withoutSignOut = new Provider(`${url}/oidc`, {
      ...config,
      features: { ...config.features, rpInitiatedLogout: { enabled: false } },
    })
    expect(() => supportConsole(withoutSignOut, good)).to.throw(
      TypeError,
      'features.rpInitiatedLogout',
    )
  })
})

describe('the clients of the pages', () => {
  it('are public, with the code flow, and one redirect each', () => {
    expect(supportConsoleClient({ url })).to.deep.equal({
      client_id: 'support-console',
      client_name: 'Support console',
      application_type: 'web',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      redirect_uris: [`${url}/console/callback`],
      post_logout_redirect_uris: [`${url}/console`],
    })
    expect(supportConsoleClient({ url, clientId: undefined, path: undefined })).to.deep.equal(
      supportConsoleClient({ url }),
    )
    expect(customerAccountClient({ url, clientId: 'me', path: '/my/account' })).to.deep.include({
      client_id: 'me',
      redirect_uris: [`${url}/my/account/callback`],
    })
  })

  it('refuse what is no origin, and no path', () => {
    expect(() => supportConsoleClient({ url: 'id.example.com' })).to.throw(TypeError, 'url must be')
    expect(() => supportConsoleClient({ url: `${url}/console` })).to.throw(TypeError, 'url must be')
    expect(() => supportConsoleClient({ url, path: '/x/' })).to.throw(TypeError, 'path must be')
    expect(() => customerAccountClient({ url, clientId: '' })).to.throw(TypeError, 'clientId must')
  })

  it('are looked for at the first use: the log tells what is missing', async () => {
    await using deployment = await deploy({ console: { clientId: 'nothing' } })
    const { status, body } = await deployment.ask(undefined, '/me')
    expect({ status, ...body }).to.deep.equal({
      status: 500,
      error: 'server_error',
      error_description: 'the page is not set up: see the log',
    })
    const page = await fetch(deployment.consoleUrl)
    expect(page.status).to.equal(500)
    const told =
      'options.clientId: the provider has no client nothing: add supportConsoleClient({ url, … })'
    expect(deployment.log.join('\n')).to.contain(told)
    const error = await deployment.console.check().catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(TypeError).and.have.property('message').that.contains(told)
  })

  it('are checked at the start: who issues, and who exchanges', async () => {
    await using deployment = await deploy()
    await deployment.console.check()
    const shop = {
      ...{ name: 'Shop', url: 'https://shop.example.com/', resource: 'https://api.example.com' },
      scopes: { read: 'orders:read' },
    }
    for (const [wrong, told] of [
      [{ issueAs: 'nothing' }, 'options.issueAs: the provider has no client nothing'],
      [{ issueAs: 'shop' }, 'options.issueAs: the client shop lacks client_credentials'],
      [
        { applications: [{ ...shop, clientId: 'support-console' }] },
        'options.applications[0].clientId: the client support-console lacks urn:ietf',
      ],
    ] as const) {
      await using other = await deploy({ console: wrong })
      const error = await other.console.check().catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(TypeError)
      expect(String(error)).to.contain(told)
    }
  })

  it('are wrong with a secret, or without the redirect URI of the page', async () => {
    for (const [clientId, told] of [
      ['support-backend', 'the client support-backend has a secret, which a page cannot keep'],
      ['other', 'the client other has no redirect URI http://localhost:'],
    ] as const) {
      await using deployment = await deploy({ console: { clientId } })
      expect((await fetch(deployment.consoleUrl)).status).to.equal(500)
      expect(deployment.log.join('\n')).to.contain(told)
    }
  })

  it('cannot be looked up while the storage fails: 503, and no page is called wrong for it', async () => {
    await using deployment = await deploy({ console: { clientId: 'stored-elsewhere' } })
    deployment.faults.storage = true
    const { status, body } = await deployment.ask(undefined, '/me')
    expect({ status, error: body.error }).to.deep.equal({
      status: 503,
      error: 'temporarily_unavailable',
    })
    deployment.faults.storage = false
    expect((await deployment.ask(undefined, '/me')).status).to.equal(500)
  })
})

function shown(differs: object): string {
  const text = JSON.stringify(differs, (_name, value) =>
    value === undefined ? 'undefined' : value instanceof RegExp ? String(value) : value,
  )
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
