import { expect } from 'chai'
import type { ProviderConfiguration } from '../../../src/index.ts'
import { snippetsOf } from '../../../test/docs/documents.ts'
import { grantingAllBut } from '../../../test/support/deployment-configuration.ts'
import { shared } from '../../../test/support/shared.ts'
import { actsAndEnds, filesUnder, headersOfDocument, here, ORDERS } from './support/document.ts'
import { openAnew } from './support/page.ts'
import { type Sites, startSites } from './support/sites.ts'
import { visit } from './support/visit.ts'

describe('docs/browser.md', () => {
  const sites = shared(startSites)
  before(async () => {
    await serveDocument(sites)
    sites.application.headers = await headersOfDocument(sites)
  })

  // A browser would not run an import map whose hash the headers do not name.
  it('has a plain page that acts, under the headers that it names', async () => {
    await using person = await visit(sites)
    await actsAndEnds(person, sites)
  })

  it('has a plain page that says what is wrong, and one for customers', async () => {
    await using person = await visit(sites)
    await person.page.goto('/#impersonation=%')
    await person.page.getByText('The link is damaged').waitFor()
    await openAnew(person.page, '/')
    await person.page.getByText('Sign in to see your orders.').waitFor()
    expect(person.urls.filter((url) => url.includes('oauth4webapi'))).to.deep.equal([])
  })

  it('has options that the page takes: what was typed, names and texts of its own', async () => {
    const options = here(String((await filesUnder('The session')).get('options.js')), sites)
    const { files } = sites.application
    const page = String(files['/shop.js'])
    const changed = page
      .replace(/^/, "import { options } from '/options.js'\n")
      .replace("scope: 'orders:read',", '$& ...options,')
    sites.application.files = { ...files, '/shop.js': changed, '/options.js': options }
    try {
      await using person = await visit(sites)
      await sites.signIn(person.context)
      await person.page.goto(await sites.link())
      await person.page.getByText(ORDERS).waitFor()
      await person.page.evaluate(() => {
        const name = document.createElement('p')
        name.id = 'name'
        name.textContent = 'Alice Ng'
        document.body.append(name, document.createElement('textarea'))
      })
      await person.page.getByRole('textbox').fill('Dear Alice')
      await person.page.getByRole('button', { name: 'olivia acts as alice: end' }).click()
      const cover = person.page.getByRole('dialog', { name: 'You no longer act as Alice Ng' })
      await cover.getByText('Schließen Sie diesen Tab.').waitFor()
      await cover.getByRole('button', { name: 'Copy what I typed' }).waitFor()
      await openAnew(person.page, '/#impersonation=%')
      await person.page.getByText('Der Link ist beschädigt.').waitFor()
    } finally {
      sites.application.files = files
    }
  })

  it('has a back office that opens the application', async () => {
    const script = (await filesUnder('The back office')).get('back-office.js')
    sites.application.files = {
      ...sites.application.files,
      '/back-office.js': here(String(script), sites),
    }
    await using person = await visit(sites)
    await sites.signIn(person.context)
    await person.page.goto('/')
    const answer = await sites.issue(await bodyOfDocument(sites))
    const opened = person.context.waitForEvent('page')
    await person.page.evaluate(async (issued) => {
      const { openAs } = await import(String('/back-office.js'))
      openAs(issued, 'olivia')
    }, answer)
    const page = await opened
    await page.getByText(ORDERS).waitFor()
    expect(page.url()).to.equal(`${sites.application.url}/orders/17`)
    expect(await page.evaluate(() => window.opener)).to.equal(null)
  })
})

describe('docs/browser.md: the provider', () => {
  it('lets an operator act who never used the application', async () => {
    await using snippets = await snippetsOf('browser.md')
    const { configuration } = (await snippets.load('What the provider needs')) as {
      configuration: ProviderConfiguration
    }
    const { clientBasedCORS, clients = [], features } = configuration
    const [client] = clients
    expect(client).to.include({ client_id: 'shop', token_endpoint_auth_method: 'none' })
    await using sites = await startSites(
      {
        impersonation: { ...features?.impersonation },
        configuration: {
          clientBasedCORS: (ctx, _origin, of) =>
            clientBasedCORS?.(ctx, 'https://shop.example.com', of) ?? false,
          // The option itself decides for the shop, so its effect is seen here.
          loadExistingGrant: grantingAllBut('shop'),
        },
      },
      client,
    )
    await serveDocument(sites)
    await using person = await visit(sites)
    await actsAndEnds(person, sites)
  })
})

/** Serves the plain page of the document. */
async function serveDocument(sites: Sites): Promise<void> {
  const page = await filesUnder('A page without a build step')
  sites.application.page = here(String(page.get('index.html')), sites)
  sites.application.files = { '/shop.js': here(String(page.get('shop.js')), sites) }
}

async function bodyOfDocument(sites: Sites): Promise<object> {
  const block = (await filesUnder('The back office')).get('json') ?? ''
  return JSON.parse(here(block, sites))
}
