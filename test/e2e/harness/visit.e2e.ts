import { expect } from 'chai'
import type { Example } from '../../example-provider/support.ts'
import { blamelessPage, objections } from './page.ts'

describe('a visit', () => {
  let server: Example

  before(async () => {
    server = await blamelessPage()
  })
  after(() => server.close())

  it('fails for whatever goes wrong in any tab', async () => {
    const said = await objections(server.url, async (person) => {
      const { page, context } = person
      person.expectFailure('/missing', 403)
      await page.evaluate(async () => {
        console.error('oh')
        setTimeout(() => globalThis.reportError(new Error('thrown')))
        void Promise.reject(new Error('rejected'))
        alert(1)
        await fetch('http://127.0.0.1:9/').catch(() => {})
        await fetch('/missing')
        document.body.setAttribute('onclick', 'alert(2)')
      })
      const tab = await context.newPage()
      await tab.goto('/')
      await tab.evaluate(() => console.error('over here'))
    })
    for (const objection of [
      /console: oh/,
      /uncaught: Error: thrown/,
      /uncaught: Error: rejected/,
      /alert: 1/,
      /another origin: http:\/\/127/,
      /404 from .*missing/,
      /Content Security Policy/,
      /over here/,
      /did not happen: a failure of \/missing with 403/,
    ]) {
      expect(said).to.match(objection)
    }
  })

  it('has nothing against what was announced, nor against a request that the page gives up', async () => {
    const said = await objections(server.url, async (person) => {
      person.expectFailure('/missing', 404)
      person.expectConsoleError(/oh/)
      person.expectDialog(/confirm: sure/)
      const accepted = await person.page.evaluate(async () => {
        await fetch('/missing?really')
        await fetch('/', { signal: AbortSignal.abort() }).catch(() => {})
        console.error('oh')
        return confirm('sure?')
      })
      expect(accepted).to.equal(true)
    })
    expect(said).to.equal('')
  })
})
