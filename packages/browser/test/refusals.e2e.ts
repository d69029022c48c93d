import { expect } from 'chai'
import { grantingAllBut } from '../../../test/support/deployment-configuration.ts'
import { movedClock } from '../../console/test/e2e/support/moved-clock.ts'
import { impersonationUrl } from '../src/link.ts'
import {
  endSession,
  expectSaid,
  openAnew,
  operating,
  optionsOf,
  scriptOf,
  servedSites,
} from './support/page.ts'
import { CLIENT, type Opening, startSites } from './support/sites.ts'
import { visit } from './support/visit.ts'

describe('an impersonation that does not begin', () => {
  let mayExchange = true
  const sites = servedSites({
    impersonation: { authorize: ({ stage }) => stage === 'issue' || mayExchange },
  })
  beforeEach(() => {
    mayExchange = true
  })

  /** The person who is signed in at the provider, the link they follow, and the text of the page. */
  interface Refusal {
    readonly as?: string
    readonly opening?: Opening
    readonly options?: Parameters<typeof scriptOf>[1]
    readonly says: RegExp
  }
  const refusals: Record<string, Refusal> = {
    'no operator is signed in': { says: /^not_signed_in: .*Sign in at the back office/ },
    'and the application has words of its own': {
      options: { texts: { not_signed_in: 'Bitte anmelden.' } },
      says: /^not_signed_in: Bitte anmelden\.$/,
    },
    'the subject token is for another API': {
      as: 'olivia',
      opening: { resource: 'https://other.example.com' },
      says: /^refused: /,
    },
    'the subject token is for another application': {
      as: 'olivia',
      opening: { mayAct: { sub: 'olivia', clientId: 'console' } },
      says: /^refused: /,
    },
    'the application asks for a scope that it cannot have': {
      as: 'olivia',
      options: { scope: 'no:such' },
      says: /^misconfigured: .*team/,
    },
  }
  for (const [what, { as, opening, options, says }] of Object.entries(refusals)) {
    it(`says so where ${what}`, async () => {
      sites.application.script = scriptOf(sites, options)
      await using person = await visit(sites)
      if (as) await sites.signIn(person.context, as)
      if (as) person.expectFailure('/oidc/token', 400)
      await person.page.goto(await sites.link('/?tab=1#own', opening))
      await expectSaid(person.page, says)
      expect(person.page.url()).to.equal(`${sites.application.url}/?tab=1#own`)
    })
  }

  it('says so where another operator is signed in, and leaves the subject token as it was', async () => {
    await using person = await operating(sites, 'oscar')
    person.expectFailure('/oidc/token', 400)
    const link = await sites.link()
    await person.page.goto(link)
    await expectSaid(person.page, /^other_operator: .*another operator/)
    await sites.signIn(person.context, 'olivia')
    await openAnew(person.page, link)
    await expectSaid(person.page, 'acting as alice')
    // It is used now.
    await endSession(person.page)
    await openAnew(person.page, link)
    await expectSaid(person.page, /^refused: .*used before.*again/)
  })

  it('says so where the link is too old, by the clock of the provider', async () => {
    await using person = await visit(sites)
    using clock = movedClock()
    const link = await sites.link()
    clock.by(11 * 60_000)
    await sites.signIn(person.context)
    person.expectFailure('/oidc/token', 400)
    await person.page.goto(link)
    await expectSaid(person.page, /^link_expired: .*too late/)
  })

  it('says so where the rules of the deployment refuse, and lets another tab act', async () => {
    await using person = await operating(sites)
    const link = await sites.link()
    mayExchange = false
    person.expectFailure('/oidc/token', 400)
    await person.page.goto(link)
    await expectSaid(person.page, /^denied: /)
    mayExchange = true
    const other = await person.context.newPage()
    await other.goto(await sites.link())
    await expectSaid(other, 'acting as alice')
  })

  it('says so where the issuer is another one', async () => {
    await using person = await visit(sites)
    await person.page.route('**/.well-known/openid-configuration', async (route) => {
      const response = await route.fetch()
      const json = { ...(await response.json()), issuer: 'https://other.example.com' }
      await route.fulfill({ response, json })
    })
    await person.page.goto(await sites.link())
    await expectSaid(person.page, /^misconfigured: /)
  })

  it('says so where the provider has no time, and blames no operator', async () => {
    await using person = await operating(sites, 'oscar')
    const { page } = person
    for (const status of [429, 503]) {
      await page.route('**/oidc/token', async (route) => {
        if (!String(route.request().postData()).includes('subject_token')) return route.continue()
        await route.fulfill({
          status,
          headers: { 'access-control-allow-origin': '*' },
          json: { error: 'temporarily_unavailable' },
        })
      })
      person.expectFailure('/oidc/token', status)
      await openAnew(page, await sites.link())
      await expectSaid(page, /^unreachable: .*Wait a moment/)
      await page.unroute('**/oidc/token')
    }
  })

  // Hints that lie change nothing where the provider agrees.
  it('does begin with hints that lie', async () => {
    await using person = await operating(sites)
    const { subjectToken } = await sites.issue({ userId: 'alice' })
    const actor = '<img src=x onerror=alert(1)>'
    await person.page.goto(
      impersonationUrl(sites.application.url, { subjectToken, actor, expiresAtMs: 1000 }),
    )
    await expectSaid(person.page, 'acting as alice')
  })
})

describe('an operator who never consented', () => {
  it('is told so, since the provider cannot ask', async () => {
    await using sites = await startSites({
      configuration: { loadExistingGrant: grantingAllBut(CLIENT) },
    })
    sites.application.script = scriptOf(sites)
    await using person = await operating(sites)
    await person.page.goto(await sites.link())
    await expectSaid(person.page, /^consent_required: .*team/)
  })
})

describe('an option that is wrong', () => {
  it('is a TypeError that names it, with the token gone from the address', async () => {
    await using sites = await startSites()
    sites.application.script = scriptOf(sites)
    await using person = await visit(sites)
    await person.page.goto('/')
    await expectSaid(person.page, 'not acting')
    const wrong: ReadonlyArray<readonly [object, string]> = [
      [{ issuer: 'http://id.example.com' }, 'issuer must be an absolute https URL, or'],
      [{ redirectUri: 'https://evil.example/' }, 'redirectUri must be a URL of the origin'],
      [{ clientId: '' }, 'clientId must be a string'],
      [{ scope: ['orders:read'] }, 'scope must be a string'],
      [{ resource: undefined }, 'resource must be a string'],
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
