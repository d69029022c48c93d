import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import type { EndingAdapter } from '../../../src/adapters/contract.ts'
import { snippetsOf } from '../../docs/documents.ts'
import { newFolder } from '../../support/folder.ts'
import { freePort, startRedis, suiteOn, until } from '../servers.ts'

const suite = await suiteOn('redis-server')

/** The two blocks of docs/adapters.md for Sentinel, with the address of this sentinel. */
async function adaptersAt(port: number, folder: string) {
  const text = await readFile(new URL('../../../docs/adapters.md', import.meta.url), 'utf8')
  const section = text.split('### Redis Sentinel')[1]?.split('`Cluster` of')[0] ?? ''
  const blocks = [...section.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
  expect(blocks).to.have.length(2)
  const loaded = blocks.map(async (code, index) => {
    const here = code
      .replace('console.error', '() => {}')
      .replaceAll(/'sentinel-\d', port: 26379/g, `'127.0.0.1', port: ${port}`)
    const file = join(folder, 'src', `sentinel-${index}.ts`)
    await writeFile(file, `${here}\nexport { adapter, ${index === 0 ? 'client' : 'sentinel'} }\n`)
    const { adapter, client, sentinel } = await import(pathToFileURL(file).href)
    const close = () => (client ? client.disconnect() : sentinel.destroy())
    return { tokens: adapter('SubjectToken') as EndingAdapter, close }
  })
  return Promise.all(loaded)
}

suite('createRedisAdapter with Sentinel, as docs/adapters.md has it', () => {
  const opened: (() => unknown)[] = []
  after(async () => {
    for (const close of opened.toReversed()) await close()
  })
  const start = async (...args: string[]) => {
    const server = await startRedis(...args)
    opened.push(server.kill)
    return server
  }

  it('both clients work, and go on at the replica that is promoted, with what it had', async () => {
    const primary = await start()
    await start('--replicaof', '127.0.0.1', String(primary.port))
    const admin = new Redis(primary.port, { retryStrategy: () => null }).on('error', () => {})
    await until(async () => /slave0:.*state=online/.test(await admin.info('replication')))
    const folder = newFolder()
    const [port, file] = [await freePort(), join(folder, 'sentinel.conf')]
    const lines = [
      `port ${port}`,
      `dir ${folder}`,
      `sentinel monitor mymaster 127.0.0.1 ${primary.port} 1`,
      'sentinel down-after-milliseconds mymaster 500',
    ]
    await writeFile(file, lines.join('\n'))
    const sentinel = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' })
    opened.push(async () => {
      sentinel.kill('SIGKILL')
      await once(sentinel, 'exit')
    })
    const asked = new Redis(port)
    await until(async () =>
      String(await asked.call('SENTINEL', 'MASTER', 'mymaster')).includes('num-slaves,1'),
    )
    asked.disconnect()

    const snippets = await snippetsOf('adapters.md')
    opened.push(() => snippets[Symbol.asyncDispose]())
    const clients = await adaptersAt(port, snippets.folder)
    for (const [at, { tokens, close }] of clients.entries()) {
      opened.push(close)
      await tokens.upsert(`used-${at}`, { accountId: 'alice' }, 600)
      expect(await tokens.consumeOnce(`used-${at}`)).to.equal(true)
    }
    await admin.call('WAIT', '1', '5000')

    await primary.kill()
    for (const [at, { tokens }] of clients.entries()) {
      // Without a primary, methods reject.
      let attempts = 0
      const works = async () => {
        attempts += 1
        await tokens.upsert(`later-${at}-${attempts}`, { accountId: 'bob' }, 600)
        return tokens.consumeOnce(`later-${at}-${attempts}`)
      }
      await until(() => works().catch(() => false))
      for (const id of ['used-0', 'used-1']) expect(await tokens.consumeOnce(id)).to.equal(false)
    }
  })
})
