import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import manifest from '../../package.json' with { type: 'json' }
import { errorsPage } from '../../scripts/http-api-errors.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE, ACCESS_TOKEN_TYPE as TYPE } from '../../src/index.ts'
import { type Form, urlencoded } from '../support/http.ts'
import { managing } from '../support/managing.ts'
import { checkAt, document, OPENAPI } from '../support/openapi.ts'
import { shared } from '../support/shared.ts'

const userId = 'alice'
const RESOURCES = ['urn:example:orders', 'urn:example:invoices']
const ISSUE = '/api/subject-tokens'
const END_MANY = '/api/impersonations/end'
const END_CURRENT = '/oidc/impersonations/current/end'

/** Bodies that no schema may take, because the server does not. */
const MALFORMED: Readonly<Record<string, readonly unknown[]>> = {
  [ISSUE]: [
    ['alice'],
    { userId, contxt: {} },
    {},
    { userId: 7 },
    { userId: 'al\nice' },
    { userId, context: 'x' },
    { userId, mayAct: {} },
    { userId, resource: [] },
    { userId, resource: '/orders' },
    { userId, scope: ' ' },
    { userId, expiresIn: 0 },
  ],
  [END_MANY]: [
    {},
    { userId, reasn: 'x' },
    { userId, by: 'olivia' },
    { userId, by: { sub: 'oli\nvia' } },
    { userId, cause: 'replay' },
  ],
  [END_CURRENT]: [{ cause: 'user' }, { reason: 'done' }, []],
}
const WELL_FORMED: Readonly<Record<string, readonly unknown[]>> = {
  [ISSUE]: [
    { userId, context: { ticketId: 'SUP-123' }, mayAct: { sub: 'olivia', clientId: 'console' } },
    { userId, resource: 'https://api.example.com', scope: 'orders:read', expiresIn: 300 },
    { userId, resource: RESOURCES },
  ],
  [END_MANY]: [{ userId: 'bob', requestedBy: 'backend', by: { sub: 'alice' }, cause: 'user' }],
  [END_CURRENT]: [{ reason: 'left' }],
}
const MALFORMED_EXCHANGES: readonly Form[] = [
  { subject_token: undefined },
  { subject_token_type: 'jwt' },
  { actor_token: 'x', actor_token_type: undefined },
  { actor_token_type: TYPE },
  { requested_token_type: 'jwt' },
  { resource: RESOURCES },
  { resource: '/orders' },
  { audience: ['one', 'two'] },
]
const EXCHANGE: Form = {
  grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
  client_id: 'console',
  subject_token_type: TYPE,
  scope: 'orders:read',
}

// Each answer of each test is compared with the document in `answerOf`. `npm run lint:openapi` has the rest.
describe('docs/openapi.yaml', () => {
  let token: string
  const deployment = shared(managing)
  before(async () => {
    const { subjectToken: subject_token } = await deployment.start()
    token = (await deployment.exchange({ subject_token })).body.access_token
  })

  it('has patterns that need no flag, and that other languages than JavaScript know', () => {
    const patterns = [...OPENAPI.matchAll(/^ +pattern: (.+)$/gm)].map(([, one = '']) => one)
    expect(patterns.length).to.be.greaterThan(5)
    // Property escapes need the flag `u`, and Python has none. Linters compile without the flag.
    expect(patterns.filter((pattern) => /\\[pP]\{/.test(pattern))).to.deep.equal([])
    for (const pattern of patterns) expect(() => new RegExp(pattern)).to.not.throw()
  })

  it('has the version of the package', () => {
    expect(document.info).to.include({ version: manifest.version })
  })

  for (const path of [ISSUE, END_MANY, END_CURRENT]) {
    it(`takes the bodies of POST ${path} that the server takes, and no others`, async () => {
      for (const body of MALFORMED[path] ?? []) {
        const text = JSON.stringify(body)
        expect([await statusOf(path, body), refuses(path, body)], text).to.deep.equal([400, true])
      }
      for (const body of WELL_FORMED[path] ?? []) {
        const text = JSON.stringify(body)
        expect(await statusOf(path, body), text).to.be.within(200, 204)
        expect(refuses(path, body), text).to.equal(false)
      }
    })
  }

  it('takes the forms of an exchange that the server takes, and no others', async () => {
    const { subjectToken: subject_token } = await deployment.start()
    const good = { ...EXCHANGE, subject_token }
    expect(refuses('/oidc/token', plain(good), 'x-www-form-urlencoded')).to.equal(false)
    for (const wrong of MALFORMED_EXCHANGES) {
      const form = { ...good, ...wrong }
      const { status } = await deployment.post('/oidc/token', form)
      const text = JSON.stringify(wrong)
      expect(status, text).to.equal(400)
      expect(refuses('/oidc/token', plain(form), 'x-www-form-urlencoded'), text).to.equal(true)
    }
  })

  it('has the errors of docs/errors.md', () => {
    const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')
    expect(page, 'run: npm run docs:options').to.equal(errorsPage())
  })

  async function statusOf(path: string, body: unknown): Promise<number> {
    const response = await fetch(`${deployment.base}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${path === END_CURRENT ? token : deployment.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    await response.text()
    return response.status
  }
})

function refuses(path: string, body: unknown, type = 'json'): boolean {
  const schema = ['paths', path, 'post', 'requestBody', 'content', `application/${type}`, 'schema']
  return checkAt(schema)(body) !== undefined
}

function plain(form: Form): Record<string, unknown> {
  const body = urlencoded(form)
  return Object.fromEntries(
    [...body.keys()].map((name) => {
      const all = body.getAll(name)
      return [name, all.length > 1 ? all : all[0]]
    }),
  )
}
