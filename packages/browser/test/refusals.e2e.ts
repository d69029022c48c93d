import { expect } from 'chai'
import { movedClock } from '../../console/test/e2e/support/moved-clock.ts'
import { impersonationUrl } from '../src/link.ts'
import { optionsOf, said, scriptOf } from './support/page.ts'
import { CLIENT, type Sites, startSites } from './support/sites.ts'
import { visit } from './support/visit.ts'

describe('an impersonation that does not begin', () => {
  let sites: Sites
  let mayExchange = true

  before(async () => {
    sites = await startSites({
      impersonation: {
        authorize: ({ stage }) => stage === 'issue' || mayExchange,
      },
    })
  })
  beforeEach(() => {
    sites.application.script = scriptOf(sites)
    mayExchange = true
  })
  after(() => sites[Symbol.asyncDispose]())

  it('says so where no operator is signed in', async () => {
    await using person = await visit(sites)
    await person.page.goto(await sites.link('/?tab=1#own'))
    expect(await said(person.page)).to.match(/^not_signed_in: .*Sign in at the back office/)
    expect(person.page.url()).to.equal(`${sites.application.url}/?tab=1#own`)
  })

  it('says so where another operator is signed in', async () => {
    await using person = await visit(sites)
    await sites.signIn(person.context, 'oscar')
    person.expectFailure('/oidc/token', 400)
    await person.page.goto(await sites.link())
    expect(await said(person.page)).to.match(/^other_operator: .*another operator/)
  })

  it('says so where the link was used before', async () => {
    await using person = await visit(sites)
    await sites.signIn(person.context)
    const link = await sites.link()
    await person.page.goto(link)
    expect(await said(person.page)).to.equal('acting as alice')
    await person.page.evaluate(() => session?.end())
    await person.page.goto('about:blank')
    person.expectFailure('/oidc/token', 400)
    await person.page.goto(link)
    expect(await said(person.page)).to.match(/^refused: .*used before.*again/)
  })

  it('says so where the link is too old, by the clock of the provider', async () => {
    await using person = await visit(sites)
    using clock = movedClock()
    const link = await sites.link()
    clock.by(11 * 60_000)
    await sites.signIn(person.context)
    person.expectFailure('/oidc/token', 400)
    await person.page.goto(link)
    expect(await said(person.page)).to.match(/^link_expired: .*too late/)
  })

  for (const [title, opening] of [
    ['another API', { resource: 'https://other.example.com' }],
    ['another application', { mayAct: { sub: 'olivia', clientId: 'console' } }],
  ] as const) {
    it(`says so where the subject token is for ${title}`, async () => {
      await using person = await visit(sites)
      await sites.signIn(person.context)
      person.expectFailure('/oidc/token', 400)
      await person.page.goto(await sites.link('/', opening))
      expect(await said(person.page)).to.match(/^refused: /)
    })
  }

  it('says so where the rules of the deployment refuse, and lets another tab act', async () => {
    await using person = await visit(sites)
    await sites.signIn(person.context)
    const link = await sites.link()
    mayExchange = false
    person.expectFailure('/oidc/token', 400)
    await person.page.goto(link)
    expect(await said(person.page)).to.match(/^denied: /)
    mayExchange = true
    const other = await person.context.newPage()
    await other.goto(await sites.link())
    expect(await said(other)).to.equal('acting as alice')
  })

  it('says so where the application asks for a scope that it cannot have', async () => {
    sites.application.script = scriptOf(sites, { scope: 'no:such' })
    await using person = await visit(sites)
    await sites.signIn(person.context)
    person.expectFailure('/oidc/token', 400)
    await person.page.goto(await sites.link())
    expect(await said(person.page)).to.match(/^misconfigured: .*team/)
  })

  it('says so where the issuer is another one', async () => {
    await using person = await visit(sites)
    await person.page.route('**/.well-known/openid-configuration', async (route) => {
      const response = await route.fetch()
      const json = { ...(await response.json()), issuer: 'https://other.example.com' }
      await route.fulfill({ response, json })
    })
    await person.page.goto(await sites.link())
    expect(await said(person.page)).to.match(/^misconfigured: /)
  })

  for (const status of [429, 503]) {
    it(`says so where the provider answers ${status}, and blames no operator`, async () => {
      await using person = await visit(sites)
      await sites.signIn(person.context, 'oscar')
      await person.page.route('**/oidc/token', async (route) => {
        if (!String(route.request().postData()).includes('subject_token')) return route.continue()
        await route.fulfill({
          status,
          headers: { 'access-control-allow-origin': '*' },
          json: { error: 'temporarily_unavailable' },
        })
      })
      person.expectFailure('/oidc/token', status)
      await person.page.goto(await sites.link())
      expect(await said(person.page)).to.match(/^unreachable: .*Wait a moment/)
    })
  }

  it('leaves the subject token as it was where the exchange was refused', async () => {
    await using person = await visit(sites)
    await sites.signIn(person.context, 'oscar')
    person.expectFailure('/oidc/token', 400)
    const link = await sites.link()
    await person.page.goto(link)
    expect(await said(person.page)).to.match(/^other_operator/)
    await sites.signIn(person.context, 'olivia')
    await person.page.goto('about:blank')
    await person.page.goto(link)
    expect(await said(person.page)).to.equal('acting as alice')
  })

  it('says what the application wants it to say', async () => {
    sites.application.script = scriptOf(sites, { texts: { not_signed_in: 'Bitte anmelden.' } })
    await using person = await visit(sites)
    await person.page.goto(await sites.link())
    expect(await said(person.page)).to.equal('not_signed_in: Bitte anmelden.')
  })
})

describe('an operator who never consented', () => {
  it('is told so, since the provider cannot ask', async () => {
    await using sites = await startSites({
      configuration: {
        async loadExistingGrant({ oidc: { client, provider, session } }) {
          if (client?.clientId === CLIENT) return undefined
          const grant = new provider.Grant({
            clientId: client?.clientId,
            accountId: session?.accountId,
          })
          grant.addOIDCScope('openid')
          await grant.save()
          return grant
        },
      },
    })
    sites.application.script = scriptOf(sites)
    await using person = await visit(sites)
    await sites.signIn(person.context)
    await person.page.goto(await sites.link())
    expect(await said(person.page)).to.match(/^consent_required: .*team/)
  })
})

describe('an option that is wrong', () => {
  it('is a TypeError that names it, with the token gone from the address', async () => {
    await using sites = await startSites()
    sites.application.script = scriptOf(sites)
    await using person = await visit(sites)
    await person.page.goto('/')
    expect(await said(person.page)).to.equal('not acting')
    const wrong: ReadonlyArray<readonly [object, string]> = [
      [{ issuer: 'id.example.com' }, 'issuer must be an absolute https URL, or'],
      [{ issuer: 'http://id.example.com' }, 'issuer must be an absolute https URL, or'],
      [{ redirectUri: '/' }, 'redirectUri must be a URL of the origin of this page'],
      [{ redirectUri: 'https://evil.example/' }, 'redirectUri must be a URL of the origin'],
      [{ clientId: '' }, 'clientId must be a string'],
      [{ scope: ['orders:read'] }, 'scope must be a string'],
      [{ resource: undefined }, 'resource must be a string'],
      [{ resource: 'urn:orders' }, 'origins, or resource, must be an absolute https URL, or'],
      [
        { resource: 'http://api.example.com' },
        'origins, or resource, must be an absolute https URL, or',
      ],
      [{ origins: ['*'] }, 'origins, or resource, must be an absolute https URL, or'],
    ]
    for (const [change, message] of wrong) {
      const told = await person.page.evaluate(
        async (options) => {
          history.replaceState(null, '', '#impersonation=a-token&own')
          const kit = await import(String('/modules/oidc-provider-impersonation/index.js'))
          const error = await kit.acceptImpersonation(options).catch((it: unknown) => it)
          return `${location.hash} ${error}`
        },
        { ...optionsOf(sites), ...change },
      )
      expect(told, JSON.stringify(change)).to.include(`#own TypeError: ${message}`)
    }
    expect(person.urls.filter((url) => url.includes('/oidc/'))).to.deep.equal([])
  })
})

describe('hints that lie', () => {
  it('change nothing where the provider agrees', async () => {
    await using sites = await startSites()
    sites.application.script = scriptOf(sites)
    await using person = await visit(sites)
    await sites.signIn(person.context)
    const { subjectToken } = await sites.issue()
    const link = impersonationUrl(sites.application.url, {
      subjectToken,
      actor: '<img src=x onerror=alert(1)>',
      expiresAtMs: 1000,
    })
    await person.page.goto(link)
    expect(await said(person.page)).to.equal('acting as alice')
  })
})
