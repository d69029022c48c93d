import { expect } from 'chai'
import { bearer, CURRENT, deploy, END_CURRENT } from '../support/deployment.ts'
import { faultyAdapter, memoryAdapterWith } from '../support/faulty-adapter.ts'
import { answerOf, expectAnswer, expectUncached } from '../support/http.ts'
import { EVERYTHING, managing, raw } from '../support/managing.ts'
import { shared } from '../support/shared.ts'

describe('the routes', () => {
  const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  const MANAGEMENT = '/api/impersonations'
  const LISTS = '/oidc/status-lists'
  const deployment = shared(managing)
  let id: string
  let token: string
  /** The methods of each path. */
  let routes: Record<string, string>
  before(async () => {
    const impersonated = await deployment.impersonate()
    id = impersonated.id
    token = impersonated.token
    routes = {
      '/api/subject-tokens': 'POST',
      [MANAGEMENT]: 'GET, HEAD',
      [`${MANAGEMENT}/${id}`]: 'GET, HEAD',
      [`${MANAGEMENT}/end`]: 'POST',
      [`${MANAGEMENT}/${id}/end`]: 'POST',
      [CURRENT]: 'GET, OPTIONS',
      [END_CURRENT]: 'POST, OPTIONS',
      [LISTS]: 'GET, HEAD, OPTIONS',
      [`${LISTS}/${'A'.repeat(22)}`]: 'GET, HEAD, OPTIONS',
    }
  })
  const bearerAt = (path: string) => bearer(path.startsWith('/api') ? deployment.token : token)

  it('answer the methods that they have, and name them', async () => {
    for (const [path, allowed] of Object.entries(routes)) {
      for (const method of METHODS) {
        const isPreflight = method === 'OPTIONS' && !path.startsWith(LISTS)
        if (allowed.split(', ').includes(method) && !isPreflight) continue
        const sent = await fetch(deployment.base + path, { method, headers: bearerAt(path) })
        const told = ['allow', 'cache-control'].map((name) => sent.headers.get(name))
        expect([sent.status, ...told], `${method} ${path}`).to.deep.equal([
          ...[405, allowed, 'no-store'],
        ])
      }
    }
  })

  it('are met by their very path: by its letters, as they are written, and to its end', async () => {
    for (const [path, allowed] of Object.entries(routes)) {
      const method = String(allowed.split(', ')[0])
      const encoded = path.replace('s', '%73')
      const others = [`${path}/`, path.toUpperCase(), encoded, `/oidc/${path}`, `${path}/../x`]
      for (const other of others) {
        await expectAnswer(
          raw(deployment.base, other, { method, headers: bearerAt(path) }),
          404,
          undefined,
          other,
        )
      }
    }
    await deployment.expectState(id, 'active')
    deployment.expectNoErrors()
  })

  it('I5: storage that fails is a 500 in JSON each time, never "not found"; nothing has ended, and it can be tried again', async () => {
    const { adapter, faults } = faultyAdapter()
    await using failing = await managing({ adapter })
    const { base, current, endCurrent: end, get, send } = failing
    const jwt = await failing.impersonate()
    const opaque = await failing.impersonate({ resource: `${base}/opaque` })
    const by = ({ token }: typeof jwt, ...doors: Array<typeof end>) =>
      doors.map((door) => () => door(token))
    const state = () => get(`/${jwt.id}`)
    const ends = () => send(`/${jwt.id}/end`)
    for (const [fault, ...requests] of [
      ['SubjectToken.find', state, ends, ...by(jwt, end, current), ...by(opaque, end, current)],
      ['SubjectToken.endOnce', ends, ...by(jwt, end)],
      ['AccessToken.find', ...by(opaque, end, current)],
      [
        'SubjectToken.list',
        () => get(''),
        () => get('?userId=alice'),
        () => send('/end', { userId: 'alice' }),
      ],
    ] as const) {
      faults.add(fault)
      for (const request of requests) {
        const told = { error: 'server_error', error_description: 'oops! something went wrong' }
        const { headers } = await expectAnswer(request(), 500, told, fault)
        expectUncached(headers)
        expect(failing.serverErrors.splice(0)).to.have.lengthOf(1)
      }
      faults.clear()
      expect((await state()).body.state).to.equal('active')
    }
    const denials = (await failing.events(11)).flatMap(({ denial }) => denial?.error ?? [])
    expect(denials).to.deep.equal(Array(7).fill('server_error'))
    for (const request of by(jwt, end).concat(by(opaque, end))) await expectAnswer(request(), 204)
  })

  for (const [what, options] of Object.entries({
    'ending.enabled is false': { impersonation: { ending: { enabled: false } } },
    'the adapter lacks a method': {
      adapter: memoryAdapterWith({ list: undefined }),
    },
  })) {
    it(`are not there where ${what}, and no scope is offered for them`, async () => {
      await using without = await managing(options)
      expect(without.provider.impersonation.canEnd).to.equal(false)
      const { id } = await without.start()
      for (const answer of [
        without.get(''),
        without.get(`/${id}`),
        without.send(`/${id}/end`),
        without.send('/end', { userId: 'alice' }),
        without.post('/oidc/impersonations/current/end', {}),
      ]) {
        expect((await expectAnswer(answer, 404)).body).to.equal('Not Found')
      }
      const token = await without.m2mToken({ scope: EVERYTHING })
      expect(JSON.parse(atob(token.split('.')[1] ?? '')).scope).to.equal('impersonate')
      const names = (await without.events()).map(({ name }) => name)
      expect(names).to.deep.equal(['impersonation.issued'])
    })
  }
})

describe('a management API below the same path as the provider', () => {
  it('leaves the routes of the token itself to the provider', async () => {
    const managementApi = { prefix: '/oidc', clients: { issue: () => true } }
    await using deployment = await deploy({ impersonation: { managementApi } })
    const issued = await answerOf(
      await fetch(`${deployment.issuer}/subject-tokens`, {
        method: 'POST',
        headers: { ...bearer(await deployment.m2mToken()), 'content-type': 'application/json' },
        body: '{"userId":"alice"}',
      }),
    )
    const { body } = await deployment.exchange({ subject_token: issued.body.subjectToken })
    expect((await deployment.current(body.access_token)).body.state).to.equal('active')
    await expectAnswer(deployment.endCurrent(body.access_token), 204)
    const { items } = await deployment.provider.impersonation.list()
    expect(items.map(({ state }) => state)).to.deep.equal(['ended'])
  })
})
