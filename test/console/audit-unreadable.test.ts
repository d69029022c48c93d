import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { endingsOf } from '../../console/account/endings.ts'
import { search } from '../../console/audit/search.ts'
import { sqliteAudit } from '../../console/audit/sqlite-store.ts'
import { isReadable } from '../../console/audit/store.ts'
import { quietly } from '../example-provider/quietly.ts'
import { signIn, start, temporaryFolder } from '../example-provider/support.ts'
import { entryOf, put, times } from './audit-contract.ts'
import {
  act,
  end,
  entriesOf,
  eventsOf,
  followStream,
  get,
  signInToAccount,
} from './audit-support.ts'

/** Entries that a newer version may have written, and malformed entries. */
const UNREADABLE = [
  '{"event":"support.invented","time":2,"subject":"alice"}',
  '{"event":"impersonation.granted","time":"yesterday"}',
  '{"event":"__proto__","time":2}',
  '[]',
  'null',
  '"impersonation.granted"',
  '\u001b[2J{',
  '',
]

function write(file: string, ...texts: readonly string[]): void {
  using database = new DatabaseSync(file)
  const insert = database.prepare('INSERT INTO support_audit (entry) VALUES (?)')
  for (const text of texts) insert.run(text)
}

describe('console: entries that cannot be read', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let file: string
  beforeEach(async () => {
    folder = await temporaryFolder()
    file = join(folder.path, 'x.sqlite')
  })
  afterEach(() => folder[Symbol.asyncDispose]())

  it('are passed over, count for paging, and are told of once', async () => {
    const store = sqliteAudit(file)
    const granted = entryOf(1, { id: 'i', expiresAt: 1000 })
    await put(store, granted)
    const [first] = (await store.after(undefined, 1)).filter(isReadable)
    write(file, ...UNREADABLE)
    await put(store, entryOf(3, { event: 'impersonation.ended', id: 'i' }))

    const { stdout, stderr } = await quietly(async () => {
      const found: unknown[] = []
      let before: string | undefined
      for (;;) {
        const page = await search(store, () => true, { before, limit: 1 })
        found.push(...times(page.entries))
        if (page.next === null) break
        before = page.next
      }
      expect(found).to.deep.equal([3, 1])
      const endings = await endingsOf(store, first ? [first] : [])
      expect([...endings]).to.deep.equal([['i', { time: 3, by: 'others' }]])
    })
    expect([stdout, stderr.length]).to.deep.equal([[], 1])
    expect(stderr[0]).to.include('audit: what is stored at 9 cannot be read')
    store.close()
  })

  it('break no search, account page or stream that reaches them', async () => {
    const example = await start({ STORAGE_URL: `sqlite:${file}` })
    const olivia = await signIn(example.url)
    const alice = await signInToAccount(example.url, 'alice')
    const { accessToken } = await act(example.url, olivia)
    const url = `${example.url}/support/audit`
    const [newest] = entriesOf(await get(url, olivia))
    const { stderr } = await quietly(async () => {
      write(file, ...UNREADABLE)
      expect((await end(example.url, accessToken)).status).to.equal(204)
      expect(eventsOf(entriesOf(await get(url, olivia)))).to.deep.equal([
        'impersonation.ended',
        'impersonation.granted',
        'impersonation.issued',
      ])
      const account = await get(`${example.url}/account/impersonations`, alice)
      expect(entriesOf(account)).to.have.length(1)
      await using followed = await followStream(`${url}/stream?after=${newest?.cursor}`, olivia)
      expect(JSON.parse((await followed.next()).data).event).to.equal('impersonation.ended')
    })
    expect(stderr).to.have.length(1)
    await example.close()
  })
})
