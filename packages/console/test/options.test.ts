import { expect } from 'chai'
import { Provider } from 'oidc-provider-impersonation'
import {
  createPermits,
  customerAccountClient,
  type SupportConsoleOptions,
  supportConsole,
  supportConsoleClient,
} from 'oidc-provider-impersonation-console'
import { warnings } from '../../../test/support/warnings.ts'
import { deploy } from './support/deployment.ts'
import { expectProblem, expectStatus } from './support/expect-answer.ts'
import { FRENCH } from './support/french.ts'
import { memoryAudit } from './support/memory-audit.ts'
import { configuration, MACHINE } from './support/provider.ts'

const url = 'https://id.example.com'

const settings = { url, shopUrl: 'https://shop.example.com' }

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

type Wrong = readonly [differs: object, message: string]

/** Options that differ from those of an application, of the brand, and of the account page, and the message. */
const OF_APPLICATION: readonly Wrong[] = [
  [{ name: '' }, 'name must be a non-empty string'],
  [{ secret: 'x' }, 'secret is not a known option'],
  [{ clientId: undefined }, 'clientId is required: the client of the application'],
  [{ resource: 1 }, 'resource must be a non-empty string'],
  [{ scopes: { change: 'x' } }, 'scopes.read is required: the scope to look at data'],
  [{ scopes: { read: 'x', change: '' } }, 'scopes.change must be a non-empty string'],
  [{ handOver: 'post' }, 'handOver must be '],
  ...['/shop', 'http://shop.example.com/', 'javascript:alert(1)', 'https://a:b@shop.example/'].map(
    (address): Wrong => [
      { url: address },
      'url must be an absolute https URL, or an http URL of this machine',
    ],
  ),
  [
    { names: { fr: 'Boutique' } },
    'names.fr is not one of the languages: en, de. options.words adds',
  ],
  [{ names: { de: ' ' } }, 'names must be an object with a name for each language'],
]
const OF_BRAND: readonly Wrong[] = [
  [{ name: undefined }, 'name is required: the name of the firm'],
  [{ name: 'A\r\nBcc: x' }, 'name must be a name of 1 to 60 characters'],
  ...[
    ...['http://a.example/logo.png', 'data:text/html;base64,AAAA'],
    ...['https://u:p@a.example/', 'https://a.example;sandbox/logo.png'],
  ].map((logo): Wrong => [{ logo }, 'logo must be an https']),
  [{ color: 'red' }, "color must be a color such as '#2f3fb5'"],
  [
    { color: '#ffcc00' },
    'color #ffcc00 has a contrast of 1.3 to 1 with #eceef3, on which links stand. Text needs 4.5 to 1: take a darker color',
  ],
]
const OF_ACCOUNT: readonly Wrong[] = [
  [{ clientId: undefined }, 'clientId is required: the public client of the page'],
  [{ title: '' }, 'title is not a known option'],
  [{ path: 'account' }, 'path must be a path'],
  [{ describe: 'x' }, 'describe must be a function'],
  ...['/console', '/console/account', '/oidc'].map(
    (path): Wrong => [{ path }, 'path and options.path must be apart from each other'],
  ),
]

const transport = { sendMail: async () => {} }
const from = 'Shop <a@example.com>'

/** Notices of a console that has the page of the account. */
const OF_NOTICES: readonly Wrong[] = [
  [{ send() {}, when: ['begun'] }, '.when'],
  [{ send() {}, digest: -1 }, '.digest'],
  [{ send() {}, timeZone: 'Mars' }, '.timeZone'],
  [{ send: 'mail' }, '.send'],
  [{}, ' must have either'],
  [{ send() {}, transport, from }, ' must have either'],
  [{ transport }, '.transport needs'],
  ...['', 'Shop', 'a@example.com, b@example.com', 'A\r\nBcc: b <a@example.com>'].map(
    (from): Wrong => [{ transport, from }, '.from must'],
  ),
]

/** Options that differ, and the message. */
const WRONG: readonly Wrong[] = [
  [{ clientID: 'x' }, 'clientID is not a known option; known are: clientId, issueAs, role'],
  [{ clientId: undefined }, 'clientId is required: the public client'],
  [{ clientId: ' ' }, 'clientId must be a non-empty string'],
  [{ issueAs: undefined }, 'issueAs is required: a client that managementApi'],
  [{ issueAs: { ...MACHINE } }, 'issueAs must be a non-empty string: a client that managementApi'],
  [{ role: 'operator' }, 'role must be a function: (account) => role or undefined'],
  [{ customers: undefined }, 'customers is required: search(text, page) and get(id)'],
  [
    { customers: { get() {} } },
    'customers must be an object with the method search and the method get',
  ],
  [{ audit: {} }, 'audit must be an object with the method open and the method write'],
  ...[[], application].map(
    (applications): Wrong => [
      { applications },
      'applications must be a list of applications: { name, url',
    ],
  ),
  [{ applications: [undefined] }, 'applications[0] must be an object with: name, names, url'],
  [
    { applications: [application, { ...application, name: 'Again' }] },
    'applications[1].clientId is shop again: each application has a client of its own',
  ],
  ...['console', '/console/', '/', '', '/a/../b', '/a b', '/:x'].map(
    (path): Wrong => [{ path }, "path must be a path such as '/console': it begins"],
  ),
  [{ path: '/oidc' }, "path must not be below the issuer's path /oidc"],
  [{ path: '/oidc/console' }, 'path must not be below the issuer'],
  ...['https://id.example.com/console', 'http://id.example.com'].map(
    (origin): Wrong => [{ url: origin }, 'url must be an https origin without a path'],
  ),
  ...[[], 60].map(
    (durations): Wrong => [{ durations }, 'durations must be a list of seconds, whole numbers'],
  ),
  [{ durations: [60, 1.5] }, 'durations[1] must be an integer from 1 to 86400'],
  ...[0, -1, 3.1, '2', Number.NaN].map(
    (auditTimeout): Wrong => [
      { auditTimeout },
      'auditTimeout must be a number of seconds, more than 0 and at most 3',
    ],
  ),
  [{ ticket: /x/ }, 'ticket must be an object with: pattern, example, url'],
  [
    { ticket: { pattern: /SUP-\d+/, example: '7' } },
    'ticket.example must match options.ticket.pattern',
  ],
  ...['x', /x/gi, /SUP-{/].map(
    (pattern): Wrong => [{ ticket: { pattern } }, 'ticket.pattern must be a regular expression'],
  ),
  [{ ticket: { url: 'https://x' } }, 'ticket.url must be a function'],
  [{ onAlarm: 'mail' }, 'onAlarm must be a function'],
  [
    { permits: createPermits({ audit: memoryAudit() }) },
    'permits must be made with the audit of options.audit',
  ],
  [{ notices: { send() {} } }, 'notices needs options.account'],
  ...OF_NOTICES.map(
    ([notices, message]): Wrong => [{ account: { clientId: 'x' }, notices }, `notices${message}`],
  ),
  ...['fr', 'de-AT'].map(
    (language): Wrong => [
      { language },
      'language must be one of: en, de. options.words adds a language',
    ],
  ),
  ...[{ fr: 'Bonjour' }, { fr_CA: {} }, { 'fr-ca': {} }, { french: 1 }, 'fr'].map(
    (words): Wrong => [
      { words },
      'words must be an object with an object of sentences for each language',
    ],
  ),
  ...OF_APPLICATION.map(
    ([differs, message]): Wrong => [
      { applications: [{ ...application, ...differs }] },
      `applications[0].${message}`,
    ],
  ),
  ...OF_BRAND.map(
    ([differs, message]): Wrong => [{ brand: { name: 'A', ...differs } }, `brand.${message}`],
  ),
  ...OF_ACCOUNT.map(
    ([differs, message]): Wrong => [
      { account: { clientId: 'x', ...differs } },
      `account.${message}`,
    ],
  ),
]

describe('the options of supportConsole()', () => {
  const provider = new Provider(`${url}/oidc`, configuration(settings))
  const build = (differs: object) => () =>
    // Mistakes that the compiler would find: JavaScript has none.
    supportConsole(provider, { ...good, ...differs } as SupportConsoleOptions)

  for (const [differs, message] of WRONG) {
    it(`options.${message.split(' ')[0]}: refuses ${shown(differs)}`, () => {
      expect(build(differs)).to.throw(TypeError, `options.${message}`)
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
    using given = warnings()
    build({ language: 'fr', words: { fr: FRENCH, it: FRENCH }, account: undefined })()
    await new Promise(setImmediate)
    expect(given.told.map(({ name }) => name)).to.eql(['ImpersonationWarning'])
    expect(given.told[0]?.message).to.match(
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

  for (const [wrong, told] of [
    [
      { clientId: 'nothing' },
      'options.clientId: the provider has no client nothing: add supportConsoleClient({ url, … })',
    ],
    [{ clientId: 'support-backend' }, 'support-backend has a secret, which a page cannot keep'],
    [{ clientId: 'other' }, 'the client other has no redirect URI http://localhost:'],
    [{ issueAs: 'nothing' }, 'options.issueAs: the provider has no client nothing'],
    [{ issueAs: 'shop' }, 'options.issueAs: the client shop lacks client_credentials'],
    [
      { applications: [{ ...application, clientId: 'support-console' }] },
      'options.applications[0].clientId: the client support-console lacks urn:ietf',
    ],
  ] as const) {
    it(`are checked at the start, and at the first use: ${told}`, async () => {
      await using deployment = await deploy({ console: wrong })
      const error = await deployment.console.check().catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(TypeError)
      expect(String(error)).to.contain(told)
      const isOfPage = 'clientId' in wrong
      const { status, body } = await deployment.ask(undefined, '/me')
      expect([status, body.error_description]).to.deep.equal(
        isOfPage ? [500, 'the page is not set up: see the log'] : [401, 'no access token provided'],
      )
      if (isOfPage) expect(deployment.log.join('\n')).to.contain(told)
    })
  }

  it('are good at the start', async () => {
    await using deployment = await deploy()
    await deployment.console.check()
  })

  it('cannot be looked up while the storage fails: 503, and no page is called wrong for it', async () => {
    await using deployment = await deploy({ console: { clientId: 'stored-elsewhere' } })
    deployment.faults.storage = true
    expectProblem(await deployment.ask(undefined, '/me'), 503, 'temporarily_unavailable')
    deployment.faults.storage = false
    expectStatus(await deployment.ask(undefined, '/me'), 500)
  })
})

function shown(differs: object) {
  const text = JSON.stringify(differs, (_name, value) =>
    value === undefined ? 'undefined' : value instanceof RegExp ? String(value) : value,
  )
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
