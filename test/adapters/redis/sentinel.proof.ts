import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import type { AdapterFactory, EndingAdapter } from '../../../src/adapters/contract.ts'
import { snippetsOf } from '../../docs/documents.ts'
import { freePort, type PrivateRedis, reachable, startRedis, suiteOn, until } from '../servers.ts'

const suite = await suiteOn('redis-server')

async function start(...args: string[]): Promise<PrivateRedis> {
  return (await startRedis(...args)) ?? expect.fail('redis-server did not start')
}

/** A sentinel that watches one primary, as mymaster. */
async function startSentinel(primary: number, dir: string) {
  const port = await freePort()
  const file = join(dir, `sentinel-${port}.conf`)
  const lines = [
    `port ${port}`,
    `dir ${dir}`,
    `sentinel monitor mymaster 127.0.0.1 ${primary} 2`,
    'sentinel down-after-milliseconds mymaster 500',
    'sentinel failover-timeout mymaster 4000',
  ]
  await writeFile(file, lines.join('\n'))
  const sentinel = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' })
  await until(() => reachable(`redis://127.0.0.1:${port}`, port))
  return { port, sentinel }
}

async function stop(process: ChildProcess): Promise<void> {
  process.kill('SIGKILL')
  if (process.exitCode === null && process.signalCode === null) await once(process, 'exit')
}

/** The blocks of docs/adapter-contract.md for Sentinel, with the addresses of these sentinels. */
async function clientsOf(ports: readonly number[], folder: string) {
  const text = await readFile(new URL('../../../docs/adapter-contract.md', import.meta.url), 'utf8')
  const section = text.split('### Sentinel')[1]?.split('### Cluster')[0] ?? ''
  const blocks = [...section.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
  const load = async (code = '', name: string, exported: string) => {
    let addressed = code.replace('console.error', '() => {}')
    for (const [index, port] of ports.entries()) {
      const asWritten = `'sentinel-${index + 1}', port: 26379`
      addressed = addressed.replace(asWritten, `'127.0.0.1', port: ${port}`)
    }
    const file = join(folder, 'src', name)
    await writeFile(file, `${addressed}\nexport { adapter, ${exported} }\n`)
    return import(pathToFileURL(file).href)
  }
  expect(blocks).to.have.length(2)
  const ioredis = await load(blocks[0], 'ioredis.ts', 'client')
  const nodeRedis = await load(blocks[1], 'node-redis.ts', 'sentinel')
  return [
    { adapter: ioredis.adapter, close: () => ioredis.client.disconnect() },
    { adapter: nodeRedis.adapter, close: () => nodeRedis.sentinel.destroy() },
  ] as readonly { adapter: AdapterFactory; close(): unknown }[]
}

suite('createRedisAdapter with Sentinel, as docs/adapter-contract.md has it', () => {
  const opened: (() => unknown)[] = []
  after(async () => {
    for (const close of opened.toReversed()) await close()
  })

  it('both clients work, and go on at the replica that is promoted, with what it had', async () => {
    const primary = await start()
    opened.push(() => primary.stop())
    const dir = await mkdtemp(join(tmpdir(), 'sentinel-'))
    opened.push(() => rm(dir, { recursive: true, force: true }))
    for (let count = 0; count < 2; count += 1) {
      const replica = await start('--replicaof', '127.0.0.1', String(primary.port))
      opened.push(() => replica.stop())
    }
    const admin = new Redis(primary.port, { retryStrategy: () => null })
    admin.on('error', () => {})
    await until(async () =>
      /slave1:.*state=online/.test(await admin.info('replication').catch(() => '')),
    )
    const sentinels = []
    for (let count = 0; count < 3; count += 1) {
      const one = await startSentinel(primary.port, dir)
      opened.push(() => stop(one.sentinel))
      sentinels.push(one)
    }
    for (const { port } of sentinels) {
      const asked = new Redis(port)
      await until(async () => {
        const told = String(await asked.call('SENTINEL', 'MASTER', 'mymaster'))
        return told.includes('num-slaves,2') && told.includes('num-other-sentinels,2')
      })
      asked.disconnect()
    }

    const snippets = await snippetsOf('adapter-contract.md')
    opened.push(() => snippets[Symbol.asyncDispose]())
    const ports = sentinels.map(({ port }) => port)
    const clients = await clientsOf(ports, snippets.folder)
    for (const { close } of clients) opened.push(close)
    const [models, ids] = [clients.map(({ adapter }) => adapter('SubjectToken')), ['io', 'node']]
    for (const [index, model] of models.entries()) {
      const records = model as EndingAdapter
      const [used, ended] = [`${ids[index]}-used`, `${ids[index]}-ended`]
      for (const id of [used, ended]) {
        await records.upsert(
          id,
          { accountId: 'alice', iat: Math.floor(Date.now() / 1000), jti: id },
          600,
        )
      }
      expect(await records.consumeOnce(used)).to.equal(true)
      expect(await records.endOnce(ended, { at: 1 })).to.equal(true)
    }
    await admin.call('WAIT', '2', '5000')

    await primary.stop()
    for (const [index, model] of models.entries()) {
      const records = model as EndingAdapter
      let attempts = 0
      const works = async () => {
        attempts += 1
        const id = `${ids[index]}-later-${attempts}`
        await records.upsert(id, { accountId: 'bob' }, 600)
        return records.consumeOnce(id)
      }
      // Without a primary, and with waitForReplicas without a replica, methods reject.
      await until(() => works().catch(() => false))
      for (const id of ['io', 'node']) {
        expect(await records.consumeOnce(`${id}-used`)).to.equal(false)
        expect(await records.consumeOnce(`${id}-ended`)).to.equal(false)
      }
    }
  })
})
