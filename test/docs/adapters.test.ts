import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { createRedisAdapter } from '../../src/adapters/redis/index.ts'
import { type PrivateRedis, skipWithout, startRedis } from '../adapters/servers.ts'
import { deploy } from '../support/deployment.ts'

const run = promisify(execFile)

describe('docs/adapters.md', () => {
  let page: string

  before(async () => {
    page = await readFile(new URL('../../docs/adapters.md', import.meta.url), 'utf8')
  })

  describe('the user of Redis', () => {
    let server: PrivateRedis | undefined
    let redis: Redis

    before(async function () {
      await skipWithout(this, 'redis-server')
      server = await startRedis('--appendonly', 'yes')
      if (!server) throw new Error('redis-server did not start')
      const [, command = ''] = /^(redis-cli ACL SETUSER (?:.*\\\n)*.*)$/m.exec(page) ?? []
      await run('bash', ['-euc', command.replace('redis-cli', `redis-cli -p ${server.port}`)])
      redis = new Redis(`redis://oidc:change-me@127.0.0.1:${server.port}`)
    })
    after(async () => {
      redis?.disconnect()
      await server?.stop()
    })

    it('may do all that the adapter does', async () => {
      const adapter = createRedisAdapter({ client: redis, requirePersistence: true })
      await adapter.check()
      await using deployment = await deploy({ configuration: { adapter } })
      await deployment.provider.impersonation.check()
      for (const isFirst of [true, false]) {
        const subject_token = await deployment.subjectToken()
        expect((await deployment.exchange({ subject_token })).status).to.equal(200)
        expect((await deployment.exchange({ subject_token })).status).to.equal(400)
        const { items } = await deployment.provider.impersonation.list({ userId: 'alice' })
        expect(items).to.have.lengthOf(isFirst ? 1 : 2)
        await deployment.provider.impersonation.endAll({ requestedBy: 'backend' })
      }
      const lists = await fetch(`${deployment.issuer}/status-lists`)
      expect(lists.status).to.equal(200)
      expect(deployment.serverErrors).to.deep.equal([])
    })

    it('may read no other key, and not delete or set up the server', async () => {
      for (const [name, ...args] of [
        ['GET', 'another'],
        ['KEYS', '*'],
        ['FLUSHALL'],
        ['CONFIG', 'SET', 'appendonly', 'no'],
      ] as const) {
        const refused = await redis.call(name, ...args).catch(String)
        expect(refused, name).to.include('NOPERM')
      }
    })
  })
})
