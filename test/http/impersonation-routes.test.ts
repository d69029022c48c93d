import { expect } from 'chai'
import { CURRENT, impersonate, PATH } from '../support/ending-current.ts'
import { faultyAdapter, memoryAdapterWith } from '../support/faulty-adapter.ts'
import { EVERYTHING, managing, RESOURCE } from '../support/managing.ts'

describe('the routes', () => {
  const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  const MANAGEMENT = '/api/impersonations'
  const LISTS = '/oidc/status-lists'
  it('answer the methods that they have, and name them', async () => {
    await using deployment = await managing()
    const { id, token } = await impersonate(deployment)
    for (const [path, allowed, bearer = deployment.token] of [
      ['/api/subject-tokens', 'POST'],
      [MANAGEMENT, 'GET, HEAD'],
      [`${MANAGEMENT}/${id}`, 'GET, HEAD'],
      [`${MANAGEMENT}/end`, 'POST'],
      [`${MANAGEMENT}/${id}/end`, 'POST'],
      [CURRENT, 'GET, OPTIONS', token],
      [PATH, 'POST, OPTIONS', token],
      [LISTS, 'GET, HEAD, OPTIONS'],
      [`${LISTS}/${'A'.repeat(22)}`, 'GET, HEAD, OPTIONS'],
    ] as const) {
      for (const method of METHODS) {
        const isPreflight = method === 'OPTIONS' && !path.startsWith(LISTS)
        if (allowed.split(', ').includes(method) && !isPreflight) continue
        const authorization = `Bearer ${bearer}`
        const { status, headers } = await fetch(`${deployment.base}${path}`, {
          method,
          headers: { authorization },
        })
        const told = [status, headers.get('allow'), headers.get('cache-control')]
        expect(told, `${method} ${path}`).to.deep.equal([405, allowed, 'no-store'])
      }
    }
    expect((await deployment.get(`/${id}`)).body.state).to.equal('active')
    expect(deployment.serverErrors).to.deep.equal([])
  })

  it('I5: storage that fails is a 500 each time, never "not found", and nothing has ended', async () => {
    const { adapter, faults } = faultyAdapter()
    await using deployment = await managing({ configuration: { adapter } })
    const { get, send } = deployment
    const { id } = await deployment.start()
    for (const [fault, ...requests] of [
      ['SubjectToken.find', () => get(`/${id}`), () => send(`/${id}/end`)],
      ['SubjectToken.endOnce', () => send(`/${id}/end`)],
      [
        'SubjectToken.list',
        () => get(''),
        () => get('?userId=alice'),
        () => send('/end', { userId: 'alice' }),
      ],
    ] as const) {
      faults.add(fault)
      for (const request of requests) {
        const { status, body, headers } = await request()
        expect([status, body, headers.get('cache-control')], fault).to.deep.equal([
          500,
          { error: 'server_error', error_description: 'oops! something went wrong' },
          'no-store',
        ])
      }
      faults.clear()
      expect((await get(`/${id}`)).body.state).to.equal('issued')
    }
    expect(deployment.serverErrors).to.have.lengthOf(6)
    const denials = (await deployment.events(4)).map(({ denial }) => denial?.error)
    expect(denials).to.deep.equal([undefined, ...Array(3).fill('server_error')])
  })

  for (const [what, options] of Object.entries({
    'ending.enabled is false': { impersonation: { ending: { enabled: false } } },
    'the adapter lacks a method': {
      configuration: { adapter: memoryAdapterWith({ list: undefined }) },
    },
  })) {
    it(`are not there where ${what}, and no scope is offered for them`, async () => {
      await using deployment = await managing(options)
      expect(deployment.provider.impersonation.canEnd).to.equal(false)
      const { id } = await deployment.start()
      for (const { status, body } of [
        await deployment.get(''),
        await deployment.get(`/${id}`),
        await deployment.send(`/${id}/end`),
        await deployment.send('/end', { userId: 'alice' }),
        await deployment.post('/oidc/impersonations/current/end', {}),
      ]) {
        expect([status, body]).to.deep.equal([404, 'Not Found'])
      }
      const everything = { resource: RESOURCE, scope: EVERYTHING }
      const token = await deployment.m2mToken(everything)
      expect(JSON.parse(atob(token.split('.')[1] ?? '')).scope).to.equal('impersonate')
      const names = (await deployment.events()).map(({ name }) => name)
      expect(names).to.deep.equal(['impersonation.issued'])
    })
  }
})
