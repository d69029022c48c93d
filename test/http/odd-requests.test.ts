import { expect } from 'chai'
import { deploy } from '../support/deployment.ts'
import { memoryAdapterWith } from '../support/faulty-adapter.ts'

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

  it('Content-Encoding in any spelling but identity is 415', async () => {
    await using deployment = await deploy()
    for (const encoding of ['gzip', 'IDENTITY', 'Identity', 'br']) {
      const headers = { 'content-encoding': encoding }
      const { status } = await deployment.issue('{"userId":"alice"}', { headers })
      expect(status, encoding).to.equal(415)
    }
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
