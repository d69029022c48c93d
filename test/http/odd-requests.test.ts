import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { deploy } from '../support/deployment.ts'
import { impersonate } from '../support/ending-current.ts'
import { memoryAdapterWith } from '../support/faulty-adapter.ts'
import { managing } from '../support/managing.ts'

describe('odd requests to the management API', () => {
  it('paths are case-sensitive, and end where they end', async () => {
    await using deployment = await deploy()
    for (const path of ['/API/subject-tokens', '/api/Subject-Tokens', '/api/subject-tokens/']) {
      const response = await fetch(`${deployment.base}${path}`, { method: 'POST' })
      expect(response.status, path).to.equal(404)
    }
  })

  it('deep nesting is 400 or 413, and no server error', async () => {
    await using deployment = await deploy()
    for (const depth of [33, 4000, 7000]) {
      const nested = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
      const { status } = await deployment.issue(`{"userId":"alice","context":${nested}}`)
      expect(status, String(depth)).to.be.oneOf([400, 413])
    }
    expect(deployment.serverErrors).to.deep.equal([])
  })

  it('Content-Encoding other than identity is 415', async () => {
    await using deployment = await deploy()
    for (const encoding of ['gzip', 'GZIP', 'br']) {
      const headers = { 'content-encoding': encoding }
      const { status } = await deployment.issue('{"userId":"alice"}', { headers })
      expect(status, encoding).to.equal(415)
    }
  })

  it('a body in another charset is 415, and one that is not UTF-8 is 400, at every route', async () => {
    await using deployment = await managing()
    const { id, token } = await impersonate(deployment)
    const { base, token: manager } = deployment
    const routes: Record<string, string> = {
      '/api/subject-tokens': manager,
      '/api/impersonations/end': manager,
      [`/api/impersonations/${id}/end`]: manager,
      '/oidc/impersonations/current/end': token,
    }
    const latin1 = Buffer.from('{"userId":"José","reason":"é"}', 'latin1')
    for (const [path, bearer] of Object.entries(routes)) {
      const statusOf = async (type: string, body: string | Uint8Array<ArrayBuffer>) => {
        const headers = { authorization: `Bearer ${bearer}`, 'content-type': type }
        return (await fetch(base + path, { method: 'POST', headers, body })).status
      }
      for (const charset of ['iso-8859-1', 'utf-16', 'bogus', '""']) {
        expect(await statusOf(`application/json; charset=${charset}`, '{}'), path).to.equal(415)
      }
      for (const type of ['application/json', 'application/json; charset="UTF-8"']) {
        expect(await statusOf(type, latin1), path).to.equal(400)
      }
    }
    expect((await deployment.get(`/${id}`)).body.state).to.equal('active')
  })

  it('a body that breaks off is no server error', async () => {
    await using deployment = await deploy()
    const authorization = `Bearer ${await deployment.m2mToken()}`
    const broken = request(`${deployment.base}/api/subject-tokens`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'content-length': 100 },
    })
    broken.on('error', () => {})
    const refused = once(deployment.provider, 'impersonation.denied')
    broken.write('{"userId":')
    await wait(50)
    broken.destroy()
    const [, { denial }] = await refused
    expect(denial.error).to.equal('invalid_request')
    expect(deployment.serverErrors).to.deep.equal([])
  })

  it('a server_error listener that throws changes nothing for the caller', async () => {
    await using deployment = await deploy({
      configuration: { adapter: memoryAdapterWith({ upsert: () => Promise.reject(new Error()) }) },
    })
    deployment.provider.on('server_error', () => {
      throw new Error('listener')
    })
    const { status, body } = await deployment.issue({ userId: 'alice' })
    expect([status, body.error]).to.deep.equal([500, 'server_error'])
  })
})
