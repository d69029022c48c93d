import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

import { expect } from 'chai'
import {
  createSqliteAdapter,
  type SqliteAdapterFactory,
} from '../../../src/adapters/sqlite/index.ts'
import { newFolder } from '../../support/folder.ts'

describe('createSqliteAdapter, with several processes', () => {
  const opened: SqliteAdapterFactory[] = []
  const newFile = () => join(newFolder(), 'oidc.db')
  const open = (file: string, busyTimeoutMs = 2000) => {
    const factory = createSqliteAdapter({ file, busyTimeoutMs })
    opened.push(factory)
    return factory
  }

  after(() => {
    for (const factory of opened) factory.close()
  })

  const script = join(import.meta.dirname, 'process.ts')

  async function start(file: string, prefix: string, count: number): Promise<ChildProcess> {
    const args = [file, prefix, String(count)]
    const child = fork(script, args, { execArgv: ['--no-warnings'] })
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => expect.fail(`a process ended with ${code}`)),
    ])
    return child
  }

  async function each(children: ChildProcess[], what: string): Promise<string[][]> {
    return Promise.all(
      children.map(async (child) => {
        const [answer, exit] = [once(child, 'message'), once(child, 'exit')]
        child.send(what)
        const [result] = await answer
        await exit
        return result
      }),
    )
  }

  it('opens a file that is not there yet in six processes at once, and keeps what all write', async () => {
    const file = newFile()
    const children = await Promise.all([1, 2, 3, 4, 5, 6].map(() => start(file, 'w', 100)))
    const written = (await each(children, 'write')).flat()
    const adapter = open(file)('SubjectToken')
    const found = await Promise.all(written.map((id) => adapter.find(id)))
    expect(found.filter(Boolean)).to.have.length(600)
  })

  it('remembers each group of consumptions that was answered before kill -9, and no part of another', async () => {
    const file = newFile()
    const adapter = open(file)('SubjectToken')
    const ids = Array.from({ length: 5000 }, (_, i) => `g${i}`)
    await Promise.all(ids.map((id) => adapter.upsert(id, {}, 60)))
    const child = await start(file, 'g', ids.length)
    const exit = once(child, 'exit')
    let answered = 0
    child.on('message', (at: number) => {
      answered = at + 10
      if (at === 1000) child.kill('SIGKILL')
    })
    child.send('consume until killed')
    expect(await exit).to.deep.equal([null, 'SIGKILL'])

    const again = open(file)('SubjectToken')
    const consumed = await Promise.all(ids.map(async (id) => (await again.find(id))?.consumed))
    const count = consumed.filter(Boolean).length
    expect(count % 10, 'a group is consumed, or is not').to.equal(0)
    expect(count).to.be.within(answered, ids.length - 10)
    expect(
      consumed.findIndex((each) => !each),
      'in their order',
    ).to.equal(count)
    expect(await again.consumeOnce(`g${answered - 1}`)).to.equal(false)
  })

  it('waits for a process that is writing to a file which is not in WAL mode yet', async () => {
    const file = newFile()
    const holder = spawn(process.execPath, [
      '--no-warnings',
      '--input-type=module',
      '--eval',
      `import { DatabaseSync } from 'node:sqlite'
       const database = new DatabaseSync(${JSON.stringify(file)})
       database.exec('BEGIN IMMEDIATE')
       console.log('held')
       setTimeout(() => database.exec('COMMIT'), 300)`,
    ])
    await once(holder.stdout, 'data')
    const adapter = open(file)('SubjectToken')
    await adapter.upsert('a', {}, 60)
    expect(await adapter.consumeOnce('a')).to.equal(true)
  })
})
