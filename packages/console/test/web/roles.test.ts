import { expect } from 'chai'
import { shared } from '../../../../test/support/shared.ts'
import type { Running } from '../support/deployment.ts'
import { deployWithPermits, RULE } from '../support/with-permits.ts'

// The package compiles its views when it is loaded.
const { STAFF_TABLE } = await import('../../src/console-site.ts')

type TestedRoute = Pick<(typeof STAFF_TABLE)[number], 'method' | 'path'>

const nameOf = ({ method, path }: TestedRoute) => `${method} ${path}`

/** The routes of each role, as docs/console.md has them. */
const PROMISED: Readonly<Record<string, readonly string[]>> = {
  'operator lead auditor': [
    ...['GET /me', 'GET ', 'GET /audit', 'GET /audit/:id', 'GET /records', 'GET /records/:id'],
    ...['POST /records/:id/:event', 'GET /people', 'GET /stream'],
    // For those of them of whom `mayErase` is true.
    ...['GET /personal-data', 'GET /personal-data/:id'],
    ...['GET /personal-data/:id/export.jsonl', 'POST /personal-data/:id/erase'],
  ],
  'operator lead': [
    ...['GET /customers', 'GET /customers/:id', 'GET /act', 'GET /continue/:id'],
    'POST /impersonations',
    ...['POST /impersonations/:id/continue', 'POST /running/:id/end'],
    ...['POST /permits', 'POST /permits/emergency'],
  ],
  'lead auditor': [
    ...['GET /audit/export.csv', 'GET /audit/entries.jsonl', 'GET /audit/:id/entries.jsonl'],
    ...['GET /records/export.csv', 'POST /audit/:id/hold', 'POST /audit/:id/release', 'GET /rules'],
  ],
  lead: ['POST /stops', 'POST /audit/:id/acknowledge'],
}

const CALLERS = ['operator', 'lead', 'auditor'] as const
const PERSON = { operator: 'olivia', lead: 'grace', auditor: 'ada' } as const

describe('every route of the console, for each role', () => {
  let running: Running
  let permit: string
  let foreign: ReadonlyMap<string, string>
  const deployment = shared(() => deployWithPermits(RULE, { console: { mayErase: () => true } }))

  before(async () => {
    const { AccessToken, Session } = deployment.provider
    permit = await deployment.request()
    running = await deployment.impersonate({ access: 'read' })
    await running.refused()
    const revoked = await deployment.signIn('grace')
    await (await AccessToken.find(revoked.accessToken))?.destroy()
    const over = await deployment.signIn('grace')
    const found = await AccessToken.find(over.accessToken)
    await (await Session.findByUid(found?.sessionUid ?? ''))?.destroy()
    const other = await deployment.signIn('grace', { clientId: 'other' })
    foreign = new Map([
      ['an impersonated one', running.accessToken],
      ['one of another client', other.accessToken],
      ['a revoked one', revoked.accessToken],
      ['one whose session is over', over.accessToken],
    ])
  })

  const queryOf = ({ path }: TestedRoute) => {
    if (path.endsWith('/customers')) return '?q=alice'
    if (path === '/people') return '?who=customer'
    return ''
  }
  const pathOf = ({ path }: TestedRoute) => {
    if (path.startsWith('/records')) {
      return path.replace(':id', permit).replace(':event', 'granted')
    }
    if (path.startsWith('/personal-data/:')) return path.replace(':id', 'alice')
    return path.replace(':id', path.startsWith('/customers') ? 'alice' : running.id)
  }

  /** The status and the error of an answer. The body of a stream is not read. */
  async function answerTo(
    route: TestedRoute,
    token: string | undefined,
    method: string = route.method,
  ) {
    const gone = new AbortController()
    const query = queryOf(route)
    const response = await fetch(`${deployment.consoleUrl}${pathOf(route)}${query}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      },
      ...(method === 'POST' ? { body: '{"unknown":1}' } : {}),
      signal: gone.signal,
    })
    const { status, headers } = response
    const isJson = /^application\/json\b/.test(headers.get('content-type') ?? '')
    const body: unknown = isJson ? await response.json() : undefined
    gone.abort()
    const error =
      typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined
    return { status, error, headers }
  }

  it('the table of routes is the one that is promised', () => {
    for (const [roles, names] of Object.entries(PROMISED)) {
      const table = STAFF_TABLE.filter((route) => route.roles.join(' ') === roles)
      expect(table.map(nameOf), roles).to.have.members(names)
    }
    expect(STAFF_TABLE).to.have.length(Object.values(PROMISED).flat().length)
  })

  for (const route of STAFF_TABLE) {
    const name = nameOf(route)

    for (const role of CALLERS) {
      const may = route.roles.includes(role)
      it(`${name}: ${role} ${may ? 'may' : 'may not'}`, async () => {
        const { status, error } = await answerTo(route, await deployment.tokenOf(PERSON[role]))
        if (!may) {
          expect({ status, error }).to.deep.equal({ status: 403, error: 'access_denied' })
        } else if (route.method === 'GET') {
          // The operator's own: a lead continues what they ran themselves.
          const isOthers = route.path.includes('/continue') && role === 'lead'
          expect(status).to.equal(isOthers ? 404 : 200)
        } else {
          // The body is wrong, so that nothing changes.
          expect(status).to.equal(400)
        }
      })
    }

    it(`${name}: a customer may not`, async () => {
      const { status, error } = await answerTo(route, await deployment.tokenOf('alice'))
      expect({ status, error }).to.deep.equal({ status: 403, error: 'access_denied' })
    })

    it(`${name}: without a token, 401 and how to authenticate`, async () => {
      const { status, headers } = await answerTo(route, undefined)
      expect(status).to.equal(401)
      expect(headers.get('www-authenticate')).to.equal('Bearer realm="support console"')
    })

    it(`${name}: no token but one of the console, that lives, in person`, async () => {
      for (const [kind, token] of foreign) {
        const { status, error } = await answerTo(route, token)
        expect({ status, error }, kind).to.deep.equal({ status: 401, error: 'invalid_token' })
      }
    })

    it(`${name}: other methods are refused, and no answer is stored`, async () => {
      const { status, headers } = await answerTo(route, undefined, 'PUT')
      expect(status).to.equal(405)
      expect(headers.get('allow')).to.contain(route.method)
      expect(headers.get('cache-control')).to.equal('no-store')
    })
  }

  it('routes that there are not answer 404 to all roles', async () => {
    const { status, body } = await deployment.ask(undefined, '/nothing')
    expect(status).to.equal(404)
    expect(body.error).to.equal('not_found')
  })
})
