import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { type PrivateRedis, skipWithout, startRedis } from '../adapters/servers.ts'
import { type Recording, recording } from './recorded-uses.ts'

const STREAM = 'impersonation-uses'

describe('docs/your-apis.md: recording by Redis Streams', function () {
  this.timeout(60_000)
  let server: PrivateRedis | undefined
  let environment: { readonly REDIS_URL: string }
  let redis: Redis
  let at: Recording

  before(async function () {
    await skipWithout(this, 'redis-server')
    server = await startRedis('--appendonly', 'yes', '--appendfsync', 'always')
    if (!server) throw new Error('redis-server did not start')
    environment = { REDIS_URL: `redis://127.0.0.1:${server.port}` }
    redis = new Redis(server.port)
  })
  after(async () => {
    redis?.disconnect()
    await server?.stop()
  })
  beforeEach(async () => {
    await redis.flushall()
    at = await recording()
    const source = join(at.snippets.folder, 'src/orders-api.ts')
    const text = await readFile(source, 'utf8')
    const queued = text.replace('./send-uses.ts', './queue-uses.ts')
    expect(queued).to.not.equal(text)
    await writeFile(source, queued)
  })
  afterEach(() => at[Symbol.asyncDispose]())

  const emptied = async () => {
    for (let tries = 0; (await redis.xlen(STREAM)) > 0 && tries < 2000; tries += 1) await wait(10)
    return await redis.xlen(STREAM)
  }

  it('what is told is recorded, and leaves the stream', async () => {
    const api = await at.launch('orders-api.ts', environment)
    const recorder = await at.launch('take-uses.ts', environment)
    await api.ask('GET', '/orders', at.tokens.own)
    await api.ask('GET', '/orders', at.tokens.acted)
    await api.ask('PUT', '/email', at.tokens.acted)
    expect(await api.stop()).to.equal(0)
    expect(await emptied()).to.equal(0)
    const uses = (await at.recorded(2)).map(({ use }) => [use.path, use.status])
    expect(uses).to.deep.equal([
      ['/orders', 200],
      ['/email', 403],
    ])
    expect(await recorder.stop()).to.equal(0)
  })

  it('nothing is missing after a crash of Redis and a recorder that was killed with what it had read', async () => {
    const api = await at.launch('orders-api.ts', environment)
    await redis.xgroup('CREATE', STREAM, 'recorders', '0', 'MKSTREAM')
    await api.ask('GET', '/orders', at.tokens.acted)
    const crashed = server?.crash()
    for (let n = 0; n < 20; n += 1) {
      expect((await api.ask('GET', '/orders', at.tokens.acted)).status).to.equal(200)
    }
    await crashed
    expect(await api.stop()).to.equal(0)
    const read = await redis.xreadgroup(
      ...(['GROUP', 'recorders', 'recorder-1', 'STREAMS', STREAM, '>'] as const),
    )
    const [[, messages = []] = []] = read as [string, [string, string[]][]][]
    expect(messages).to.have.lengthOf(21)
    // A copy does no harm.
    await redis.xadd(STREAM, '*', ...(messages[0]?.[1] ?? []))
    await at.launch('take-uses.ts', environment)
    expect(await emptied()).to.equal(0)
    expect(await at.recorded(21)).to.have.lengthOf(21)
  })
})
