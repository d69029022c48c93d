import { expect } from 'chai'
import type { UseInWords } from '../../../src/web/use-words.ts'
import { idOf, storePast } from '../../e2e/support/audit-rows.ts'
import { type Deployment, deploy } from '../../support/deployment.ts'

const PATHS = ['/orders', '/hidden', '/throws', '/hangs', '/rejects', '/number', '/blank', '/long']

/** What a deployment may answer, the wrong ways included. */
const describeUse = (({ path, method, status, refused }, language) => {
  switch (path) {
    case '/orders':
      return language === 'de' ? 'Bestellungen angesehen' : 'Looked at the orders'
    case '/throws':
      throw new Error('no words')
    case '/hangs':
      return new Promise(() => {})
    case '/rejects':
      return Promise.reject(new Error('no words'))
    case '/number':
      return 7
    case '/blank':
      return ' '
    case '/long':
      return 'x'.repeat(300)
    case '/refused':
      return `${method} ${status} ${refused}`
    default:
      return undefined
  }
}) as UseInWords

describe('the words of the deployment in the timeline', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy({
      console: { account: { clientId: 'customer-account', describe: describeUse } },
    })
    const at = Date.now() - 3_600_000
    await storePast(deployment.audit, [{ at, reads: PATHS, refused: ['/refused'] }])
  })
  after(() => deployment[Symbol.asyncDispose]())

  async function wordsFor(person: string, language = 'en') {
    const path = `/audit/${idOf(0)}`
    const headers = { 'accept-language': language }
    const { status, body } = await deployment.ask(person, path, undefined, headers)
    expect(status).to.equal(200)
    const uses = body.entries.filter(({ use }: { use?: object }) => use)
    return Object.fromEntries(
      uses.map(({ use, words }: { use: { path: string }; words?: string }) => [use.path, words]),
    )
  }

  it('are those of the request, for operators, leads and auditors; else there are none', async () => {
    for (const person of ['olivia', 'grace', 'ada']) {
      expect(await wordsFor(person), person).to.deep.equal({
        ...Object.fromEntries(PATHS.map((path) => [path, undefined])),
        '/orders': 'Looked at the orders',
        '/long': 'x'.repeat(200),
        '/refused': 'PUT 403 true',
      })
    }
  })

  it('are in the language of the reader', async () => {
    expect(await wordsFor('ada', 'de-AT,de;q=0.9')).to.include({
      '/orders': 'Bestellungen angesehen',
    })
  })
})
