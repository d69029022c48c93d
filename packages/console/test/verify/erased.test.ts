import { expect } from 'chai'
import { erasureDigestOf } from 'oidc-provider-impersonation-verify/chain'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { Broken } from '../../../verify/src/verify/broken.ts'
import { summaryOf } from '../../../verify/src/verify/summary.ts'
import type { AuditStore } from '../../src/ledger/store.ts'
import { AGO, over, type Person, processOn, verified } from '../features/personal-data/person.ts'
import { act, idOf, readOn, used } from '../ledger/stores/contract/support.ts'
import { memoryAudit } from '../support/memory-audit.ts'
import { collectLog } from '../support/quiet.ts'
import { chain, signer } from './history.ts'
import { storages } from './storages.ts'
import { provider } from './tampering.ts'

describe('the verification of an audit from which a customer was erased', function () {
  this.timeout(60_000)
  let stopLog = () => {}
  before(() => {
    stopLog = collectLog([])
  })
  after(() => stopLog())

  it('finds erased texts of which no checkpoint says that they were removed', async () => {
    const store = memoryAudit()
    const one = processOn(store)
    await one.record(...over('a', 'alice'), ...over('b', 'bob'))
    await one.erase('alice')
    await one.close()
    expect(await verified(store)).to.deep.include({ rows: 1 })
    // The storage hides it from the checkpoint of the export, and keeps no other one.
    const hiding: AuditStore = {
      ...store,
      removed: async () => [],
      checkpoints: async () => [],
      keepCheckpoint: async () => {},
    }
    const error = await verified(hiding).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(Broken)
    expect(String(error)).to.contain('no checkpoint says that it was removed')
  })

  for (const { name, create, test } of storages) {
    /** A storage of two customers, and what a person does who can write to it. */
    async function attack(
      run: (on: {
        store: AuditStore
        one: Person
        /** Removes row and texts, as the audit would. */
        wipe(id: string, until?: number): Promise<void>
        /** Puts an entry into a chain that the provider signed. */
        claim(entry: Partial<AuditEntry>): Promise<void>
        told(): Promise<string>
      }) => Promise<void>,
    ): Promise<void> {
      const storage = await create()
      const { store } = storage
      const one = processOn(store)
      const began = await chain(provider.sign, AGO)
      try {
        await one.record(...over('a', 'alice'), ...over('b', 'bob'))
        await run({
          ...{ store, one },
          async wipe(id, until = Number.POSITIVE_INFINITY) {
            const stored = (await readOn(store)).filter(({ row }) => row === id)
            for (const { writer, sequence, text = '' } of stored) {
              if (JSON.parse(text).timeMs <= until) await storage.wipe(writer, sequence)
            }
            await storage.dropRow(id)
          },
          async claim(entry) {
            const full = { event: 'support.erased', timeMs: Date.now(), ...entry } as AuditEntry
            await store.append(began.next([full]))
          },
          async told() {
            const error = await verified(store).catch((thrown: unknown) => thrown)
            return error instanceof Broken ? error.message : `not found: ${JSON.stringify(error)}`
          },
        })
      } finally {
        await one.close()
        await storage.dispose()
      }
    }

    test(`finds rows that were deleted without a word, or by a word that the provider did not sign: ${name}`, () =>
      attack(async ({ store, one, wipe, claim, told }) => {
        const ids = { impersonations: [idOf('b')], permits: [] }
        await one.erase('alice')
        const [entry] = (await readOn(store)).slice(-1)
        const { erased }: AuditEntry = JSON.parse(entry?.text ?? '')
        await wipe(idOf('b'))
        expect(await told()).to.match(/^its text is missing, but it is of /)
        // The signature of another erasure.
        await claim({ erased: { ...ids, signed: erased?.signed ?? '' } })
        expect(await told()).to.match(/^(?:its text is missing|the provider signed the erasure of)/)
      }))

    test(`finds a word that is signed by another key, or is something else: ${name}`, () =>
      attack(async ({ store, wipe, claim, told }) => {
        const ids = { impersonations: [idOf('b')], permits: [] }
        const { sign } = await signer({ kid: 'b' })
        const erases = { version: 1, erases: erasureDigestOf(ids), until: Date.now() }
        const begun = (await readOn(store))[0]?.text ?? '{}'
        await claim({ erased: { ...ids, signed: await sign(erases) } })
        expect(await told()).to.contain('no key of the key set signed it. Give the keys')
        await wipe(idOf('b'))
        await claim({ erased: { ...ids, signed: JSON.parse(begun).begun } })
        expect(await told()).to.match(/its text is missing|the signature of the erasure/)
      }))

    test(`finds a beginning of a chain in the place of an erasure: ${name}`, () =>
      attack(async ({ store, claim, told }) => {
        const begun = (await readOn(store))[0]?.text ?? '{}'
        const erased = { impersonations: [idOf('b')], permits: [], signed: JSON.parse(begun).begun }
        await claim({ erased })
        expect(await told()).to.equal('what is signed is no erasure')
      }))

    test(`finds what was recorded after the erasure, and was wiped as if it belonged to it: ${name}`, () =>
      attack(async ({ one, wipe, told, store }) => {
        await one.erase('alice')
        await one.record(used('a', Date.now() + 1))
        expect((await verified(store)).erased).to.deep.include({ entries: 4, impersonations: 1 })
        await wipe(idOf('a'))
        expect(await told()).to.match(/^its text is missing, but it is of /)
      }))

    test(`finds a hold that was wiped with what the provider signed before it: ${name}`, () =>
      attack(async ({ one, wipe, told, store }) => {
        const ids = { impersonations: [idOf('b')], permits: [] }
        await one.record(act('held', 'b', AGO + 100))
        const until = Date.now()
        const claims = { version: 1, erases: erasureDigestOf(ids), until }
        const erased = { ...ids, signed: await provider.sign(claims) }
        await one.record({ event: 'support.erased', timeMs: until, erased })
        expect(await verified(store)).to.deep.include({ rows: 2, unprovedRows: 0 })
        await wipe(idOf('b'))
        expect(await told()).to.equal('its text is missing, but its impersonation is on hold')
      }))

    test(`says how many were erased: ${name}`, () =>
      attack(async ({ one, store }) => {
        await one.erase('alice')
        const found = await verified(store)
        const lines = summaryOf(found, { file: 'entries.jsonl', checkpoints: [] })
        expect(lines[1]).to.match(/; 0 of them were removed when their time was over\.$/)
        expect(lines[2]).to.equal(
          '4 more were erased, of 1 impersonations and refused requests and 0 permits: the provider signed which.',
        )
      }))
  }
})
