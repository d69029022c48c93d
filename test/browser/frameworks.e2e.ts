import { expect } from 'chai'
import { bundle } from './support/bundle.ts'
import { actsAndEnds, filesUnder, headersOfDocument, here } from './support/document.ts'
import { type Sites, startSites } from './support/sites.ts'
import { visit } from './support/visit.ts'

for (const framework of ['React', 'Vue']) {
  describe(`docs/browser.md: ${framework}`, () => {
    let sites: Sites

    before(async () => {
      sites = await startSites()
      const blocks = await filesUnder(framework)
      const files = [...blocks].map(([name, text]) => [name, here(text, sites)] as const)
      sites.application.files = await bundle(new Map(files))
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

    it('acts, once, and ends', async () => {
      await using person = await visit(sites)
      await actsAndEnds(person, sites)
      expect(await sites.states()).to.deep.equal(['ended'])
    })

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
