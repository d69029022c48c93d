import { expect } from 'chai'
import { basic } from '../support/deployment.ts'
import { faultyAdapter, memoryAdapterWith } from '../support/faulty-adapter.ts'
import { managing, RESOURCE } from '../support/managing.ts'

describe('the routes of impersonations', () => {
  it('answer the methods that they have, and name them', async () => {
    await using deployment = await managing()
    const { id } = await deployment.start()
    const allow = {
      '': 'GET, HEAD',
      [`/${id}`]: 'GET, HEAD',
      '/end': 'POST',
      [`/${id}/end`]: 'POST',
    }
    for (const [path, allowed] of Object.entries(allow)) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const response = await fetch(`${deployment.base}/api/impersonations${path}`, {
          method,
          headers: { authorization: `Bearer ${deployment.token}` },
        })
        const text = await response.text()
        if (method === 'HEAD') expect(text).to.equal('')
        if (allowed.split(', ').includes(method)) {
          expect(response.status, `${method} ${path}`).to.be.oneOf([200, 415])
          continue
        }
        expect([response.status, response.headers.get('allow')], `${method} ${path}`).to.deep.equal(
          [405, allowed],
        )
        expect(response.headers.get('cache-control')).to.equal('no-store')
      }
    }
    expect(deployment.serverErrors).to.deep.equal([])
  })

  it('I5: storage that fails is a 500 with a body of JSON, and never "not found"', async () => {
    const { adapter, faults } = faultyAdapter()
    await using deployment = await managing({ configuration: { adapter } })
    const { id } = await deployment.start()
    faults.add('SubjectToken.find').add('SubjectToken.list')
    for (const path of ['', `/${id}`, '?userId=alice']) {
      const { status, body, headers } = await deployment.get(path)
      expect([status, body]).to.deep.equal([
        500,
        { error: 'server_error', error_description: 'oops! something went wrong' },
      ])
      expect(headers.get('cache-control')).to.equal('no-store')
    }
    expect(deployment.serverErrors).to.have.lengthOf(3)
    faults.clear()
    expect((await deployment.get(`/${id}`)).status).to.equal(200)
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
      const answers = [
        await deployment.get(''),
        await deployment.get(`/${id}`),
        await deployment.send(`/${id}/end`),
        await deployment.send('/end', { userId: 'alice' }),
      ]
      expect(answers.map(({ status, body }) => [status, body])).to.deep.equal(
        answers.map(() => [404, 'Not Found']),
      )
      const current = await deployment.post('/oidc/impersonations/current/end', {})
      expect([current.status, current.body]).to.deep.equal([404, 'Not Found'])
      const { body } = await deployment.post(
        '/oidc/token',
        {
          grant_type: 'client_credentials',
          resource: RESOURCE,
          scope: 'impersonate impersonations:read impersonations:end',
        },
        basic('backend', 'backend-secret'),
      )
      expect(body.scope).to.equal('impersonate')
      expect(
        (await deployment.events()).filter(({ name }) => name.endsWith('denied')),
      ).to.deep.equal([])
    })
  }
})
