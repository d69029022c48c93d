import { expect } from 'chai'
import { bundle } from './support/bundle.ts'
import { filesUnder, headersOfDocument, here, ORDERS } from './support/document.ts'
import { type Sites, startSites } from './support/sites.ts'
import { type Visit, visit } from './support/visit.ts'

/** From the end at the provider until the customer's data is out of sight. */
const PROMISED_MS = 8000
/** More than the time between two looks of a page at the status of its token. */
const TWO_LOOKS_MS = 11_000

for (const framework of ['React', 'Vue']) {
  describe(`docs/browser.md: ${framework}`, () => {
    let sites: Sites

    before(async () => {
      sites = await startSites()
      sites.application.files = await buildPage()
      const html = String((await filesUnder('A page without a build step')).get('index.html'))
      sites.application.page = html
        .replace(/<script type="importmap">.*?<\/script>/s, '')
        .replace('/shop.js', '/main.js')
      const headers = await headersOfDocument(sites)
      const policy = String(headers['Content-Security-Policy'])
      sites.application.headers =
        framework === 'Vue'
          ? {
              ...headers,
              'Content-Security-Policy': policy.replace(
                "trusted-types 'none'",
                'trusted-types vue',
              ),
            }
          : headers
    })
    after(() => sites[Symbol.asyncDispose]())

    /** What a bundler makes of the document's files. */
    async function buildPage(change = (text: string) => text) {
      const blocks = await filesUnder(framework)
      const files = [...blocks].map(([name, text]) => [name, change(here(text, sites))] as const)
      return bundle(new Map(files))
    }

    async function act({ context, page }: Visit): Promise<void> {
      await sites.signIn(context)
      await page.goto(await sites.link())
      await page.getByText(ORDERS).waitFor()
      await page.getByRole('region', { name: 'olivia acts as alice' }).waitFor()
    }

    it('acts, once, with the banner, and ends by its button', async () => {
      await using person = await visit(sites)
      const { page } = person
      await act(person)
      await page.getByRole('button', { name: 'End' }).click()
      await page.getByRole('dialog', { name: 'You no longer act as alice' }).waitFor()
      await page.getByRole('dialog').getByText('You ended it.').waitFor()
      expect(await sites.states()).to.deep.equal(['ended'])
    })

    it('is covered after an end elsewhere, says who ended it, and asks for nothing more', async () => {
      await using person = await visit(sites)
      const { page } = person
      await act(person)
      await endByCustomer()
      const ended = Date.now()
      await page.getByRole('dialog').getByText('The customer ended it.').waitFor()
      expect(Date.now() - ended).to.be.at.most(PROMISED_MS)
      expect(await page.getByText(ORDERS).count(), 'data of the customer in the page').to.equal(0)
      const requests: string[] = []
      page.on('request', (request) => requests.push(request.url()))
      await page.waitForTimeout(TWO_LOOKS_MS)
      expect(requests).to.deep.equal([])
    })

    it('keeps the banner, which says who ended it, where the page has no cover', async () => {
      const files = sites.application.files
      sites.application.files = await buildPage((text) =>
        text.replace("scope: 'orders:read',", '$& cover: false,'),
      )
      try {
        await using person = await visit(sites)
        const { page } = person
        await act(person)
        await endByCustomer()
        await page.getByRole('alert').getByText('The customer ended it').waitFor()
        expect(await page.getByText(ORDERS).count(), 'data of the customer').to.equal(0)
      } finally {
        sites.application.files = files
      }
    })

    async function endByCustomer(): Promise<void> {
      const { impersonation } = sites.provider
      const { items } = await impersonation.list({ state: 'active' })
      const [{ id } = expect.fail('no impersonation')] = items
      await impersonation.end(id, { by: { sub: 'alice' }, cause: 'user' })
    }

    it('says what is wrong, and shows customers their page', async () => {
      await using person = await visit(sites)
      await person.page.goto('/#impersonation=%')
      await person.page.getByRole('alert').getByText('The link is damaged').waitFor()
      await person.page.goto('about:blank')
      await person.page.goto('/')
      await person.page.getByText('Sign in to see your orders.').waitFor()
    })
  })
}
