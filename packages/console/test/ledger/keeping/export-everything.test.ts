import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { digestOf, storedRowOf } from 'oidc-provider-impersonation-verify/chain'
import { exportEverything } from '../../../src/ledger/keeping/export-everything.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { permit, requested } from '../../features/personal-data/person.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { idOf, put, started, T, used } from '../stores/contract/support.ts'

const NOW = T + 3_600_000
const now = () => NOW

async function whole(parts: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const part of parts) text += part
  return text
}

describe('the export of everything', () => {
  const sign = async (checkpoint: object) =>
    `e30.${Buffer.from(JSON.stringify({ checkpoint })).toString('base64url')}.x`

  it('has the checkpoint as its last line, and keeps it', async () => {
    const store = memoryAudit()
    const { writer, records } = await put(store, started('a', T), used('a', T + 1))
    const lines = (await whole(exportEverything(store, { sign, now }))).trimEnd().split('\n')
    const [head] = records.slice(-1)
    const row = await store.row(idOf('a'))
    expect(lines.slice(0, -1).map((line) => JSON.parse(line))).to.deep.equal([
      { head: { writer, sequence: 2, hash: head?.hash } },
      { row: row && storedRowOf(row), entries: [1, 2].map((sequence) => [writer, sequence]) },
      ...records.map(({ sequence, hash, digest, text }) => {
        return { writer, sequence, hash, digest, text, row: idOf('a'), count: 1 }
      }),
    ])
    const jws = JSON.parse(lines.at(-1) ?? '').checkpoint
    const content = lines
      .slice(0, -1)
      .map((line) => `${line}\n`)
      .join('')
    expect(decodeJwt<{ checkpoint: object }>(jws).checkpoint).to.deep.equal({
      ...{ version: 1, time: NOW, part: 1, parts: 1, before: 0 },
      heads: [{ writer, sequence: 2, hash: head?.hash }],
      removed: [],
      content: digestOf(content),
    })
    expect(await store.checkpoints(9)).to.deep.equal([jws])
  })

  it('asks for rows and permits by the page, and for none by itself', async () => {
    async function callsFor(count: number): Promise<Record<string, number>> {
      const store = memoryAudit()
      for (let index = 0; index < count; index += 1) {
        await put(store, started(`${index}`, T), used(`${index}`, T + 1))
        await permit(store, `permit ${index}`, requested('alice'))
      }
      const calls: Record<string, number> = {}
      const counting = new Proxy(store, {
        get(of, name) {
          calls[String(name)] = (calls[String(name)] ?? 0) + 1
          return Reflect.get(of, name)
        },
      })
      await whole(exportEverything(counting, { sign, now }))
      return calls
    }
    const few = await callsFor(3)
    expect(few).to.not.have.any.keys('row', 'timeline', 'permit')
    expect(await callsFor(60)).to.deep.equal(few)
  })

  it('proves one row without reading the others', async () => {
    const store = memoryAudit()
    for (const name of ['a', 'b', 'c']) await put(store, started(name, T))
    const read: number[] = []
    const counting: AuditStore = {
      ...store,
      async filedRows(page) {
        const found = await store.filedRows(page)
        read.push(found.rows.length)
        return found
      },
    }
    await whole(exportEverything(counting, { sign, now, only: idOf('b') }))
    expect(read).to.deep.equal([1])
  })

  it('signs in parts what is too long for one signature', async () => {
    const heads = Array.from({ length: 20_000 }, (_, index) => {
      return { writer: `${index}`.padStart(36, 'w'), sequence: 2, hash: idOf('x') }
    })
    const except = Array.from({ length: 20_000 }, (_, index) => {
      return [2 * index + 2, 2 * index + 2] as const
    })
    const removed = [{ writer: heads[0]?.writer ?? '', upTo: 40_001, except }]
    const kept: string[] = []
    const store: AuditStore = {
      ...memoryAudit(),
      heads: async () => heads,
      removed: async () => removed,
      keepCheckpoint: async (jws) => void kept.push(jws),
    }
    let longest = 0
    const measured = async (checkpoint: object) => {
      longest = Math.max(longest, JSON.stringify(checkpoint).length)
      return sign(checkpoint)
    }
    await whole(exportEverything(store, { sign: measured, now }))
    expect(longest).to.be.within(500_000, 1_048_576)
    const parts = kept.map((jws) => decodeJwt<{ checkpoint: Record<string, never[]> }>(jws))
    expect(parts).to.have.length.greaterThan(2)
    expect(parts.flatMap(({ checkpoint }) => checkpoint.heads)).to.deep.equal(heads)
    expect(parts.flatMap(({ checkpoint }) => checkpoint.removed)).to.have.length(1)
    expect(parts.map(({ checkpoint }) => checkpoint.part)).to.deep.equal(
      parts.map((_, index) => index + 1),
    )
  })
})
