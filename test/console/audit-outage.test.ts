import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { quietly } from '../example-provider/quietly.ts'
import {
  type Answer,
  type Example,
  exchange,
  issueDirectly,
  launch,
  postJson,
  signIn,
  start,
  temporaryFolder,
} from '../example-provider/support.ts'
import { act, end, get, machineForApi } from './audit-support.ts'
import { openAuditAt } from './open-audit.ts'

/** More entries than the queue may hold, and far more than are in flight at once. */
const MANY = 1100
const AT_ONCE = 50

describe('console: an audit that cannot be written', function () {
  this.timeout(120_000)

  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let file: string
  let example: Example | undefined
  beforeEach(async () => {
    folder = await temporaryFolder()
    file = join(folder.path, 'x.sqlite')
  })
  afterEach(async () => {
    await example?.close()
    example = undefined
    await folder[Symbol.asyncDispose]()
  })

  async function startHere(): Promise<string> {
    example = await start({ STORAGE_URL: `sqlite:${file}` })
    return example.url
  }

  it('I13: holds what was granted, refuses the rest with 503, and is whole once it can be', async () => {
    const url = await startHere()
    using database = new DatabaseSync(file)
    database.exec('PRAGMA busy_timeout = 5000')
    const olivia = await signIn(url)
    const { body: before } = await issueDirectly(url, { userId: 'alice' })
    const machine = await machineForApi(url)
    const issue = () => postJson(`${url}/api/subject-tokens`, { userId: 'alice' }, machine)
    const answers: Answer[] = []
    const { stderr } = await quietly(async () => {
      database.exec('ALTER TABLE support_audit RENAME TO elsewhere')
      for (let sent = 0; sent < MANY; sent += AT_ONCE) {
        answers.push(...(await Promise.all(Array.from({ length: AT_ONCE }, issue))))
      }
      const refused = await exchange(url, before.subjectToken)
      expect([refused.status, refused.body.error]).to.deep.equal([503, 'temporarily_unavailable'])
      const request = { userId: 'alice', reason: 'r', ticketId: 't' }
      const through = await postJson(`${url}/support/impersonations`, request, olivia)
      expect([through.status, through.headers.get('retry-after')]).to.deep.equal([503, '5'])
      expect((await get(`${url}/support/me`, olivia)).status).to.equal(200)
      database.exec('ALTER TABLE elsewhere RENAME TO support_audit')
      expect((await exchange(url, before.subjectToken)).status, 'it was not redeemed').to.equal(200)
      await example?.close()
    })
    const issued = answers.filter(({ status }) => status === 201).length
    expect(issued).to.be.within(1000, 1000 + AT_ONCE)
    expect(answers.filter(({ status }) => status === 503)).to.have.length(MANY - issued)
    const { stored } = database.prepare('SELECT count(*) AS stored FROM support_audit').get() ?? {}
    expect(stored).to.equal(issued + 2)
    expect(stderr).to.have.length(3)
    expect(stderr[0]).to.include('takes no entries')
    expect(stderr[2]).to.include('takes entries again')
  })

  it('keeps no end from ending, and stores its entry afterwards', async () => {
    const url = await startHere()
    using database = new DatabaseSync(file)
    const olivia = await signIn(url)
    const { accessToken } = await act(url, olivia)
    await quietly(async () => {
      database.exec('ALTER TABLE support_audit RENAME TO elsewhere')
      expect((await end(url, accessToken)).status).to.equal(204)
      database.exec('ALTER TABLE elsewhere RENAME TO support_audit')
      await example?.close()
    })
    const last = database.prepare('SELECT entry FROM support_audit ORDER BY rowid DESC').get()
    expect(String(last?.entry)).to.include('"impersonation.ended"')
  })

  it('survives kill -9 in the middle: what is stored is whole, in order and counted once', async () => {
    const storageUrl = `sqlite:${file}`
    const environment = { DATA_DIR: folder.path, STORAGE_URL: storageUrl }
    await using one = await launch(environment)
    await using two = await launch(environment)
    const copies = [one, two]
    const olivia = await signIn(one.url)
    const { subjectToken } = await act(one.url, olivia)
    let isOver = false
    const replay = async (url: string) => {
      while (!isOver) await exchange(url, subjectToken).catch(() => {})
    }
    const floods = copies.flatMap(({ url }) => Array.from({ length: 8 }, () => replay(url)))
    while (one.printed().split('impersonation.replayed').length < 100) {
      await get(`${two.url}/support/audit`, olivia)
    }
    one.child.kill('SIGKILL')
    await one.ended
    isOver = true
    await Promise.all(floods)
    two.child.kill('SIGTERM')
    const printed = (await Promise.all(copies.map(({ ended }) => ended)))
      .map(({ stdout }) => stdout.split('"impersonation.replayed"').length - 1)
      .reduce((sum, count) => sum + count)
    const storage = await openAuditAt(storageUrl)
    const stored = await storage.audit.after(undefined, 100)
    await storage.close()
    // The first replay ended it. The entry of that may be lost with the killed process.
    const entries = stored.filter(({ entry }) => entry?.event !== 'impersonation.ended')
    expect(entries.map(({ entry }) => entry?.event)).to.deep.equal([
      'impersonation.issued',
      'impersonation.granted',
      'impersonation.replayed',
    ])
    // Entries in flight at the killed process are only in its log, or are stored and not printed
    // yet.
    expect(entries[2]?.entry?.count).to.be.within(printed - 50, printed + 50)
  })
})
