import { expect } from 'chai'
import { createPermits } from 'oidc-provider-impersonation-console'
import { type Deployment, deploy, type Running } from '../support/deployment.ts'
import { memoryAudit } from '../support/memory-audit.ts'

// The package compiles its views when it is loaded.
const { STAFF_TABLE } = await import('../../src/console-site.ts')

interface TestedRoute {
  readonly method: string
  readonly path: string
  readonly audience: readonly string[]
}

const ROUTES: readonly TestedRoute[] = STAFF_TABLE.map(({ roles, ...route }) => ({
  ...route,
  audience: roles,
}))

/** Who may use what: as docs/console.md has it. The routes themselves are read from the router's table. */
const PROMISED: Readonly<Record<string, string>> = {
  'GET /me': 'operator lead auditor',
  'GET ': 'operator lead auditor',
  'GET /customers': 'operator lead',
  'GET /customers/:id': 'operator lead',
  'POST /impersonations': 'operator lead',
  'POST /impersonations/:id/continue': 'operator lead',
  'POST /running/:id/end': 'operator lead',
  'GET /audit': 'operator lead auditor',
  'GET /audit/export.csv': 'lead auditor',
  'GET /audit/entries.jsonl': 'lead auditor',
  'GET /audit/:id': 'operator lead auditor',
  'GET /audit/:id/entries.jsonl': 'lead auditor',
  'GET /act': 'operator lead',
  'POST /impersonations/emergency': 'operator lead',
  'GET /continue/:id': 'operator lead',
  'POST /permits': 'operator lead',
  'POST /permits/emergency': 'operator lead',
  'GET /records': 'operator lead auditor',
  'GET /records/export.csv': 'lead auditor',
  'GET /records/:id': 'operator lead auditor',
  'POST /records/:id/:event': 'operator lead auditor',
  'POST /stops': 'lead',
  'POST /audit/:id/acknowledge': 'lead',
  'POST /audit/:id/hold': 'lead auditor',
  'POST /audit/:id/release': 'lead auditor',
  'GET /rules': 'lead auditor',
  'GET /people': 'operator lead auditor',
  'GET /stream': 'operator lead auditor',
  // For those of them of whom `mayErase` is true.
  'GET /personal-data': 'operator lead auditor',
  'GET /personal-data/:id': 'operator lead auditor',
  'GET /personal-data/:id/export.jsonl': 'operator lead auditor',
  'POST /personal-data/:id/erase': 'operator lead auditor',
}

const CALLERS = ['operator', 'lead', 'auditor'] as const
const PERSON = { operator: 'olivia', lead: 'grace', auditor: 'ada' } as const

describe('every route of the console, for each role', function () {
  this.timeout(60_000)
  let deployment: Deployment
  let running: Running
  let permit: string
  let foreign: ReadonlyMap<string, string>

  before(async () => {
    const audit = memoryAudit()
    const permits = createPermits({ audit })
    let isNeeded = true
    const authorize = permits.wrap(() => (isNeeded ? { needs: ['second_person'] } : true))
    deployment = await deploy({ audit, authorize, console: { permits, mayErase: () => true } })
    const { id } = await permits.request({
      ...{ customer: 'alice', operator: 'olivia', application: 'shop' },
      ...{ resource: `${deployment.url}/orders`, scope: 'orders:read' },
      ...{ ticket: 'SUP-1', reason: 'The address is wrong' },
    })
    permit = id
    isNeeded = false
    running = await deployment.impersonate()
    await running.refused()
    await deployment.settled()
    const revoked = await deployment.signIn('grace')
    await fetch(`${deployment.issuer}/token/revocation`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'support-console', token: revoked.accessToken }),
    })
    const over = await deployment.signIn('grace')
    const found = await deployment.provider.AccessToken.find(over.accessToken)
    await (await deployment.provider.Session.findByUid(found?.sessionUid ?? ''))?.destroy()
    const other = await deployment.signIn('grace', { clientId: 'other' })
    foreign = new Map([
      ['an impersonated one', running.accessToken],
      ['one of another client', other.accessToken],
      ['a revoked one', revoked.accessToken],
      ['one whose session is over', over.accessToken],
    ])
  })

  after(() => deployment[Symbol.asyncDispose]())

  const queryOf = ({ path }: Pick<TestedRoute, 'method' | 'path'>) => {
    if (path.endsWith('/customers')) return '?q=alice'
    if (path === '/people') return '?who=customer'
    return ''
  }
  const pathOf = ({ path }: Pick<TestedRoute, 'method' | 'path'>) => {
    if (path.startsWith('/records')) {
      return path.replace(':id', permit).replace(':event', 'granted')
    }
    if (path.startsWith('/personal-data/:')) return path.replace(':id', 'alice')
    return path.replace(':id', path.startsWith('/customers') ? 'alice' : running.id)
  }

  /** The status and the error of an answer. The body of a stream is not read. */
  async function answerTo(
    route: Pick<TestedRoute, 'method' | 'path'>,
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
    const table = ROUTES.map(({ method, path, audience }) => [
      `${method} ${path}`,
      audience.join(' '),
    ])
    expect(Object.fromEntries(table)).to.deep.equal(PROMISED)
  })

  for (const route of ROUTES) {
    const name = `${route.method} ${route.path}`

    for (const role of CALLERS) {
      const may = route.audience.includes(role)
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
