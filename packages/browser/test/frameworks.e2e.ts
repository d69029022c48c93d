import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { shared } from '../../../test/support/shared.ts'
import { type Aliases, bundle } from './support/bundle.ts'
import { filesUnder, headersOfDocument, here, ORDERS } from './support/document.ts'
import { hydrate, hydrateLater, outputOf, renderToOutput } from './support/hydration.ts'
import { openAnew } from './support/page.ts'
import { type Sites, startSites } from './support/sites.ts'
import { type Visit, visit } from './support/visit.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** From the end at the provider until the customer's data is out of sight. */
const PROMISED_MS = 8000
/** More than the time between two looks of a page at the status of its token. */
const TWO_LOOKS_MS = 11_000

/** By name, which begins with a heading of the document: the packages in place of others. */
const FRAMEWORKS: Readonly<Record<string, Aliases>> = {
  React: {},
  'React 18': { react: 'react-18', 'react-dom': 'react-dom-18' },
  Vue: {},
}

for (const [name, aliases] of Object.entries(FRAMEWORKS)) {
  const [framework = ''] = name.split(' ')
  describe(`docs/browser.md: ${name}`, () => {
    let shop: Pick<Sites['application'], 'page' | 'files'>

    const sites = shared(startSites)
    before(async () => {
      const html = String((await filesUnder('A page without a build step')).get('index.html'))
      const page = html
        .replace(/<script type="importmap">.*?<\/script>/s, '')
        .replace('/shop.js', '/main.js')
      shop = { page, files: await buildPage() }
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
    beforeEach(() => void Object.assign(sites.application, shop))

    /** Bundles the files of the document. */
    async function buildPage(change = (text: string) => text, target?: 'node') {
      const blocks = await filesUnder(framework)
      const files = [...blocks].map(([name, text]) => [name, change(here(text, sites))] as const)
      return bundle(new Map(files), aliases, target)
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
      // A damaged link shows its error, and without a link the page is for customers.
      await openAnew(page, '/#impersonation=%')
      await page.getByRole('alert').getByText('The link is damaged').waitFor()
      await openAnew(page, '/')
      await page.getByText('Sign in to see your orders.').waitFor()
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
      sites.application.files = await buildPage((text) =>
        text.replace("scope: 'orders:read',", '$& cover: false,'),
      )
      await using person = await visit(sites)
      const { page } = person
      await act(person)
      await endByCustomer()
      await page.getByRole('alert').getByText('The customer ended it').waitFor()
      expect(await page.getByText(ORDERS).count(), 'data of the customer').to.equal(0)
    })

    async function endByCustomer(): Promise<void> {
      const { impersonation } = sites.provider
      const { items } = await impersonation.list({ state: 'active' })
      const [{ id } = expect.fail('no impersonation')] = items
      await impersonation.end(id, { by: { sub: 'alice' }, cause: 'user' })
    }

    if (framework !== 'React') return

    it('takes it over as it was rendered, if the impersonation is known by then', async () => {
      await renderOnServer()
      sites.application.files = await buildPage(hydrateLater)
      await using person = await visit(sites)
      const { page } = person
      await sites.signIn(person.context)
      // A customer's page, and an impersonation that is known by then.
      await page.goto('/')
      await page.waitForFunction(() => 'hydrate' in globalThis)
      await page.evaluate(hydrate)
      await page.getByText('Sign in to see your orders.').waitFor()
      await openAnew(page, await sites.link())
      await page.waitForFunction(() => customElements.get('impersonation-banner'))
      await page.getByText('One moment.').waitFor()
      await page.evaluate(hydrate)
      await page.getByText(ORDERS).waitFor()
      await page.getByRole('region', { name: 'olivia acts as alice' }).waitFor()
    })

    async function renderOnServer(): Promise<void> {
      const { '/main.js': script = '' } = await buildPage(renderToOutput, 'node')
      const html = outputOf(script)
      expect(html).to.equal('<p>One moment.</p>')
      sites.application.page = shop.page.replace('<main id="shop">', `$&${html}`)
    }
  })
}

describe('useImpersonation with React 18', () => {
  it('keeps what react.test.ts promises', async () => {
    const mocha = join(ROOT, 'node_modules/mocha/bin/mocha.js')
    const preload = join(import.meta.dirname, 'support/resolve-react-18.ts')
    const test = join(import.meta.dirname, 'react.test.ts')
    // mocha starts a Node.js of its own, with the options of --node-option only.
    const options = ['--node-option', `import=${preload}`, '--reporter=spec', test]
    const { stdout } = await promisify(execFile)(process.execPath, [mocha, ...options], {
      cwd: ROOT,
    }).catch(({ stdout }) => expect.fail(stdout))
    expect(stdout).to.include('with React 18.')
  })
})
