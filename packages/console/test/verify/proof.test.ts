import { expect } from 'chai'
import { summaryOf } from '../../../verify/src/verify/summary.ts'
import { Unprovable } from '../../src/ledger/keeping/prove-one.ts'
import { sealsOf, signer } from '../ledger/sealing/seals-of.ts'
import {
  act,
  ended,
  idOf,
  issued,
  many,
  put,
  rejection,
  started,
  T,
  used,
} from '../ledger/stores/contract/support.ts'
import { memoryAudit } from '../support/memory-audit.ts'
import { broken, END, history, KEEP_FOR, linesOfExport, linesOfProof, verified } from './history.ts'
import { onEachStorage } from './storages.ts'

/** The output of the command for an impersonation. */
async function printed(lines: readonly string[], id: string) {
  const found = await verified(lines, { impersonation: id })
  return summaryOf(found, { file: 'file', seals: [], impersonation: id })
}

describe('a file that proves one impersonation', () => {
  it('says its entries in words, with who, whom and the ticket, as the export of everything does', async () => {
    const store = memoryAudit()
    const names = { user: { name: 'Alice Ng' }, actor: { name: 'Olivia Ortiz' } }
    const continued = { event: 'support.continued', id: idOf('a'), userId: 'alice' } as const
    const refused = { by: 'rule', error: 'e', description: 'not while "acting"' } as never
    await put(store, issued('a', T + 1000, { names }), {
      ...{ ...continued, timeMs: T + 2000, by: 'olivia', continues: idOf('before') },
    })
    await put(store, started('a', T + 3000, { names, permit: 'p1', review: 'emergency' }))
    await put(
      store,
      used('a', T + 4000, { method: 'PUT', path: '/email', status: 403, refused }),
      ended('a', T + 5000, {
        names: { by: { name: 'Grace Gale' } },
        end: { at: T / 1000, cause: 'requested', by: { sub: 'grace' }, reason: 'done' },
      }),
      act('held', 'a', T + 6000, { by: 'ada', note: 'a case' }),
      act('objected', 'a', T + 7000, { by: 'alice' }),
    )
    for (const lines of [
      await printed(await linesOfExport(store), idOf('a')),
      await printed(await linesOfProof(store, idOf('a')), idOf('a')),
    ]) {
      const first = lines.indexOf(`The impersonation ${idOf('a')}:`) + 1
      expect(lines.slice(first, lines.indexOf('', first))).to.deep.equal([
        '2026-01-01 00:00:01.000 UTC  Olivia Ortiz (olivia) asked to act as Alice Ng (alice). Ticket: "SUP-1". Reason: "Order lost".',
        `2026-01-01 00:00:02.000 UTC  Continues the impersonation ${idOf('before')}.`,
        '2026-01-01 00:00:03.000 UTC  Started in shop. Ticket: "SUP-1". Reason: "Order lost". Rights: "orders". Permit: p1. To be looked at afterwards: "emergency".',
        '2026-01-01 00:00:04.000 UTC  PUT "/email": refused. Because: "not while \\"acting\\"".',
        '2026-01-01 00:00:05.000 UTC  Grace Gale (grace) ended it. Ticket: "SUP-1". Reason: "Order lost". Because: "done".',
        '2026-01-01 00:00:06.000 UTC  ada put it on hold. Note: "a case".',
        '2026-01-01 00:00:07.000 UTC  Alice Ng (alice), the customer, says: I did not ask for this.',
      ])
      expect(lines.slice(lines.indexOf('', first) + 1)).to.deep.equal([
        '7 entries, sealed, signed by https://id.example.com.',
        'What was recorded after 2026-02-20 00:00:00.000 UTC is not in this file.',
      ])
    }
  })

  onEachStorage(
    'is small, has nothing of another person, and no word of what was removed',
    async ({ store, run }) => {
      await put(store, issued('other', T, { userId: 'somebody-else' }))
      await history(store)
      for (let more = 0; more < 20; more += 1) {
        await put(store, ...many(50, (index) => used(`x${more}`, T + index)))
      }
      const lines = await linesOfProof(store, idOf('held'))
      expect(lines.join('\n')).to.not.include('somebody-else')
      expect(lines.join('\n')).to.have.length.below(9000)
      expect(await verified(lines)).to.include({ only: idOf('held'), entries: 6, removed: 0 })
      expect(await rejection(linesOfProof(store, idOf('none')))).to.be.instanceOf(Unprovable)
      // Before it is signed, all seals around it are computed again: an entry that was moved away is missed.
      const [{ number = 0 } = {}] = await store.timeline(idOf('held'), { limit: 1 })
      await run('DELETE FROM impersonation_audit_entry WHERE number = ?', number)
      expect(await rejection(linesOfProof(store, idOf('held')))).to.match(/not that of its entries/)
    },
  )

  it('is broken where texts are missing and nothing says that they were erased', async () => {
    const store = memoryAudit({ keepFor: KEEP_FOR })
    await history(store)
    const blind = {
      ...store,
      entries: async (page: Parameters<typeof store.entries>[0]) =>
        (await store.entries(page)).map((entry) => ({ ...entry, text: undefined })),
    }
    const lines = await linesOfProof(blind, idOf('d'), { now: END })
    expect((await broken(lines)).message).to.include('no entry says that they were erased')
  })

  it('has no seal of a key that is not known', async () => {
    const store = memoryAudit({ keepFor: KEEP_FOR })
    await history(store)
    await put(store, used('g', END - 5))
    const { sign } = await signer({ kid: 'own' })
    await sealsOf(store, { sign }).seal()
    expect((await broken(await linesOfProof(store, idOf('g')))).message).to.equal(
      'no key of the key set signed the seal 4. Give the keys of that time, too',
    )
  })
})
