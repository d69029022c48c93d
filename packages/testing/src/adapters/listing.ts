import assert from 'node:assert/strict'
import { casesOfEnding } from './contract-case.ts'
import {
  destroyAll,
  ISSUED_SECONDS,
  issued,
  listed,
  oddStrings,
  record,
} from './impersonation-case.ts'
import { listPages, newestFirst } from './pages.ts'
import { atOnce, unique } from './unique.ts'

/** `list`: order and pages. */
export const listingCases = casesOfEnding({}, (it) => {
  it('lists the newest first, by iat and then by id, and as many as asked for', async (adapter, trial) => {
    const accountId = unique('account')
    const records = Array.from(
      { length: 30 },
      (_, i) => [trial.newId(), ISSUED_SECONDS + (i % 3)] as const,
    )
    for (const [id, iat] of records) await adapter.upsert(id, record(id, { accountId, iat }), 60)
    const expected = newestFirst(records)
    assert.deepEqual(await listed(adapter, { accountId }), expected)
    for (const limit of [1, 7, 29, 30]) {
      assert.deepEqual(await listed(adapter, { accountId }, limit), expected.slice(0, limit))
    }
    assert.deepEqual(await listPages(adapter, { accountId }, 4), expected, 'page by page')
    assert.deepEqual(await listed(adapter, { accountId: unique() }), [], 'of another')
  })

  it('goes on after the page before, whatever was added or went meanwhile', async (adapter) => {
    const actor = unique('actor')
    const added: string[] = []
    const add = async (id: string, iat: number) => {
      added.push(id)
      await adapter.upsert(id, record(id, { actor, iat }), 60)
    }
    const records = Array.from(
      { length: 12 },
      (_, i) => [unique(), ISSUED_SECONDS + (i >> 2)] as const,
    )
    for (const [id, iat] of records) await add(id, iat)
    const pages = await listPages(adapter, { actor }, 2, async (page) => {
      await add(unique(), ISSUED_SECONDS + 9)
      // the record that the next page starts after
      await adapter.destroy(String(page.at(-1)?.jti))
    })
    assert.deepEqual(pages, newestFirst(records))

    // ids between others of one second, where a page ended
    const base = unique()
    for (const letter of ['b', 'd', 'f']) await add(`${base}${letter}`, ISSUED_SECONDS)
    const before = (letter: string) => ({ iat: ISSUED_SECONDS, id: `${base}${letter}` })
    const after = async (letter: string) =>
      (await adapter.list({ actor }, 100, before(letter)))
        .map(({ jti }) => String(jti))
        .filter((id) => id.startsWith(base))
        .map((id) => id.slice(base.length))
    for (const [letter, rest] of [
      ['g', ['f', 'd', 'b']],
      ['e', ['d', 'b']],
      ['d', ['b']],
      ['c', ['b']],
      ['a', []],
    ] as const) {
      assert.deepEqual(await after(letter), rest, `after ${letter}, which need not be there`)
    }
    await destroyAll(adapter, added)
  })

  it('lists what find finds: payload, consumption, note and end', async (adapter, trial) => {
    const accountId = unique('account')
    const ids = await atOnce(4, () => trial.store(issued({ accountId, context: '{}' })))
    const [, consumed = '', ended = '', both = ''] = ids
    for (const id of [consumed, both]) await adapter.consumeOnce(id, { actor: unique() })
    for (const id of [ended, both]) await adapter.endOnce(id, { cause: 'requested' })
    const page = await adapter.list({ accountId }, 100)
    assert.equal(page.length, ids.length)
    for (const payload of page) {
      assert.deepEqual(payload, await adapter.find(String(payload.jti)))
    }
  })

  it('tells accounts, actors, clients and ids apart, whatever characters they are of', async (adapter) => {
    const strings = oddStrings()
    const together = unique('client')
    await Promise.all(
      strings.map(async (odd) => {
        const keys = { accountId: odd, actor: `bound to ${odd}`, clientId: odd }
        await adapter.upsert(odd, record(odd, keys), 60)
        await adapter.upsert(`2 ${odd}`, record(`2 ${odd}`, { clientId: together }), 60)
        await adapter.consumeOnce(`2 ${odd}`, { actor: odd })
      }),
    )
    for (const odd of strings) {
      const what = JSON.stringify(odd)
      assert.deepEqual(await listed(adapter, { accountId: odd }), [odd], `account ${what}`)
      assert.deepEqual(await listed(adapter, { clientId: odd }), [odd], `client ${what}`)
      assert.deepEqual(await listed(adapter, { actor: `bound to ${odd}` }), [odd], what)
      assert.deepEqual(await listed(adapter, { actor: odd }), [`2 ${odd}`], `actor ${what}`)
    }
    const paged = await listPages(adapter, { clientId: together }, 5)
    const expected = strings.map((odd) => `2 ${odd}`)
    assert.deepEqual(paged.toSorted(), expected.toSorted(), 'each once, page by page')
    await destroyAll(adapter, [...strings, ...strings.map((odd) => `2 ${odd}`)])
  })

  it('lists all of three hundred, however many there are between them', async (adapter, trial) => {
    const clientId = unique('client')
    const actors = [unique('actor'), unique('actor')] as const
    const records = Array.from({ length: 300 }, (_, i) => ({
      id: trial.newId(),
      iat: ISSUED_SECONDS + (i % 7),
      actor: i % 100 === 0 ? actors[0] : actors[1],
    }))
    await Promise.all(
      records.map(({ id, iat, actor }) =>
        adapter.upsert(id, record(id, { iat, clientId, actor }), 60),
      ),
    )
    const idsOf = (actor?: string) =>
      newestFirst(
        records
          .filter((each) => actor === undefined || each.actor === actor)
          .map(({ id, iat }) => [id, iat] as const),
      )
    assert.deepEqual(await listPages(adapter, { clientId }, 100), idsOf())
    assert.deepEqual(await listPages(adapter, { actor: actors[0], clientId }, 2), idsOf(actors[0]))
    // a missing record leaves no hole, because a short page would mean the end
    const gone = idsOf().slice(0, 299)
    await destroyAll(adapter, gone)
    assert.deepEqual(await listed(adapter, { clientId }, 1), idsOf().slice(299))
  })
})
