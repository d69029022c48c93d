import { expect } from 'chai'
import type { Example } from '../../../example-provider/server.ts'
import type { Visit } from '../support/visit.ts'
import { blamelessPage, objections } from './page.ts'

describe('a visit', () => {
  let server: Example

  before(async () => {
    server = await blamelessPage()
  })
  after(() => server.close())

  const inPage = (script: () => unknown) => (person: Visit) => person.page.evaluate(script)

  const objectionable: Array<[what: string, happen: (person: Visit) => Promise<unknown>, RegExp]> =
    [
      ['an error in the console', inPage(() => console.error('oh')), /console: oh/],
      [
        'an exception nobody catches',
        inPage(() => void setTimeout(() => globalThis.reportError(new Error('oh')))),
        /uncaught: Error: oh/,
      ],
      [
        'a rejection nobody handles',
        inPage(() => void Promise.reject(new Error('oh'))),
        /uncaught: Error: oh/,
      ],
      ['a dialog', inPage(() => alert(1)), /alert: 1/],
      [
        'a request to another origin',
        inPage(() => fetch('http://127.0.0.1:9/').catch(() => {})),
        /another origin: http:\/\/127/,
      ],
      [
        'an error of the server',
        inPage(() => fetch('/missing').then(() => {})),
        /404 from .*missing/,
      ],
      [
        'a script in the markup',
        inPage(() => document.body.setAttribute('onclick', 'alert(1)')),
        /Content Security Policy/,
      ],
      [
        'a fault in another tab',
        async ({ context }) => {
          const tab = await context.newPage()
          await tab.goto('/')
          await tab.evaluate(() => console.error('over here'))
        },
        /over here/,
      ],
      [
        'an announcement that does not come true',
        async (person) => person.expectFailure('/missing', 403),
        /did not happen: a failure of \/missing with 403/,
      ],
      [
        'another status than the one announced',
        async (person) => {
          person.expectFailure('/missing', 403)
          await person.page.evaluate(() => fetch('/missing').then(() => {}))
        },
        /404 from/,
      ],
    ]
  for (const [what, happen, objection] of objectionable) {
    it(`fails for ${what}`, async () => {
      expect(await objections(server.url, happen)).to.match(objection)
    })
  }

  it('has nothing against what was announced', async () => {
    const said = await objections(server.url, async (person) => {
      person.expectFailure('/missing', 404)
      person.expectConsoleError(/oh/)
      person.expectDialog(/confirm: sure/)
      const accepted = await person.page.evaluate(async () => {
        await fetch('/missing?really')
        console.error('oh')
        return confirm('sure?')
      })
      expect(accepted).to.equal(true)
    })
    expect(said).to.equal('')
  })

  it('has nothing against a request that the page itself gives up', async () => {
    const said = await objections(server.url, (person) =>
      person.page.evaluate(() => fetch('/', { signal: AbortSignal.abort() }).catch(() => {})),
    )
    expect(said).to.equal('')
  })
})
