import { expect } from 'chai'
import { slotOf } from 'oidc-provider-impersonation-verify/chain'
import { foldAny, storedPermitOf } from 'oidc-provider-impersonation-verify/format'
import { skipWithout } from '../../../../../test/adapters/servers.ts'
import { ledgerOf } from '../../../src/ledger/recording/ledger.ts'
import { ledgerWriter, NotBegun } from '../../../src/ledger/recording/writer.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { quietly } from '../../support/quietly.ts'
import {
  assertWholeChains,
  decoded,
  idOf,
  issued,
  readOn,
  refused,
  started,
  T,
} from '../stores/contract/support.ts'
import { newPlace, storeAt } from './soak-stores.ts'

const sign = async () => 'signed'
const END = new AbortController()
const APPEND = { sign, pauses: [1], end: END.signal } as const

/** Milliseconds, from now on. */
function within(time: number) {
  const deadline = performance.now() + time
  return { sign, left: () => Math.max(0, deadline - performance.now()), least: time / 4 }
}

/** A pause of an operator: the shortest permit. */
function pausing(name: string) {
  const entry = {
    event: 'support.paused' as const,
    timeMs: T,
    by: 'grace',
    permit: idOf(name),
    mayAct: { sub: name },
    terms: { needs: [] },
  }
  const record = foldAny(undefined, entry)
  const permit = storedPermitOf(record, slotOf(record))
  return { entry, permit, replaces: 0, slotHolder: undefined }
}

type Deciding = AuditStore['decide']

/** A store whose next decision goes through this. */
function through(store: AuditStore) {
  const next: { decide: ((ask: () => ReturnType<Deciding>) => ReturnType<Deciding>) | undefined } =
    { decide: undefined }
  const decide: Deciding = (decision) => {
    const { decide: special } = next
    next.decide = undefined
    return special ? special(() => store.decide(decision)) : store.decide(decision)
  }
  return { store: { ...store, decide } satisfies AuditStore, next }
}

const eventsOf = async (store: AuditStore) =>
  decoded(await readOn(store)).map((entry) => entry?.event)

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`the one chain of a process: ${kind}`, () => {
    async function withStore(
      test: Mocha.Context,
      run: (store: AuditStore) => Promise<void>,
    ): Promise<void> {
      if (kind === 'postgres') await skipWithout(test, 'PostgreSQL')
      await using storage = await newPlace(kind)
      const { store, close } = await storeAt(kind, storage.place)
      await store.open()
      try {
        await run(store)
        await assertWholeChains(store)
        expect(await store.heads(), 'one chain').to.have.length(1)
      } finally {
        await store.close()
        await close()
      }
    }

    it('has entries and decisions in the order in which they came, and one signed beginning', async function () {
      await withStore(this, async (store) => {
        const writer = ledgerWriter(store)
        await Promise.all([
          writer.append([issued('a', T)], APPEND),
          writer.decide(pausing('olivia'), within(5000)),
          writer.append([started('a', T)], APPEND),
        ])
        expect(await eventsOf(store)).to.deep.equal([
          'audit.begun',
          'impersonation.issued',
          'support.paused',
          'impersonation.started',
        ])
      })
    })

    it('goes on after a decision whose answer was lost, and from what is stored of it', async function () {
      await withStore(this, async (given) => {
        const { store, next } = through(given)
        const writer = ledgerWriter(store)
        for (const [name, isStored] of [
          ['olivia', true],
          ['oscar', false],
        ] as const) {
          next.decide = async (ask) => {
            if (isStored) await ask()
            throw new Error('the answer is lost')
          }
          const lost = await writer.decide(pausing(name), within(5000)).catch(String)
          expect(lost).to.equal('Error: the answer is lost')
          await writer.append([issued(name, T)], APPEND)
        }
        expect(await eventsOf(store)).to.deep.equal([
          'audit.begun',
          'support.paused',
          'impersonation.issued',
          'impersonation.issued',
        ])
      })
    })

    it('fences a decision that comes late: after the 503 and the next entry nothing is stored of it', async function () {
      await withStore(this, async (given) => {
        const { store, next } = through(given)
        const writer = ledgerWriter(store)
        await writer.append([issued('a', T)], APPEND)
        let late: () => Promise<boolean> = () => Promise.reject(new Error('not asked'))
        next.decide = (ask) => {
          late = ask
          return new Promise(() => {})
        }
        const slow = await writer.decide(pausing('olivia'), within(20)).catch(String)
        expect(slow).to.equal('Error: it does not answer')
        await writer.append([started('a', T)], APPEND)
        await late()
        expect(await store.permit(idOf('olivia'))).to.equal(undefined)
        expect(await writer.decide(pausing('olivia'), within(5000)), 'asked again').to.equal(true)
        expect(await eventsOf(store)).to.deep.equal([
          'audit.begun',
          'impersonation.issued',
          'impersonation.started',
          'support.paused',
        ])
      })
    })

    it('is fenced also where nothing else is written after the 503', async function () {
      await withStore(this, async (given) => {
        const fenced = Promise.withResolvers<void>()
        const { store, next } = through({
          ...given,
          async heads() {
            const heads = await given.heads()
            fenced.resolve()
            return heads
          },
        })
        const writer = ledgerWriter(store)
        await writer.append([issued('a', T)], APPEND)
        let late: () => Promise<boolean> = () => Promise.reject(new Error('not asked'))
        next.decide = (ask) => {
          late = ask
          return new Promise(() => {})
        }
        await writer.decide(pausing('olivia'), within(20)).catch(String)
        await fenced.promise
        await late()
        expect(await store.permit(idOf('olivia'))).to.equal(undefined)
      })
    })
  })
}

describe('the one chain of a process', () => {
  it('begins no decision whose time is over while it waits, then or later', async () => {
    const given = memoryAudit()
    const blocked = Promise.withResolvers<void>()
    const decided: string[] = []
    const store: AuditStore = {
      ...given,
      async append(batch) {
        await blocked.promise
        return given.append(batch)
      },
      async decide(decision) {
        decided.push(decision.permit.id)
        return given.decide(decision)
      },
    }
    const writer = ledgerWriter(store)
    const appended = writer.append([issued('a', T)], APPEND)
    const since = performance.now()
    const error = await writer.decide(pausing('olivia'), within(50)).catch((thrown) => thrown)
    expect(error).to.be.instanceOf(NotBegun)
    expect(performance.now() - since).to.be.within(45, 500)
    blocked.resolve()
    await appended
    await writer.decide(pausing('oscar'), within(5000))
    expect(decided).to.deep.equal([idOf('oscar')])
  })

  it('I13: entries wait until a lost decision is known, and are stored then', async () => {
    const given = memoryAudit()
    let isBroken = false
    const store: AuditStore = {
      ...given,
      async append(batch) {
        if (isBroken) throw new Error('disk full')
        return given.append(batch)
      },
      async decide(decision) {
        if (isBroken) throw new Error('disk full')
        return given.decide(decision)
      },
    }
    const writer = ledgerWriter(store)
    await quietly(async () => {
      await writer.append([issued('a', T)], APPEND)
      isBroken = true
      await writer.decide(pausing('olivia'), within(5000)).catch(String)
      const appended = writer.append([started('a', T)], APPEND)
      const begun = await writer.decide(pausing('oscar'), within(20)).catch((thrown) => thrown)
      expect(begun).to.be.instanceOf(NotBegun)
      isBroken = false
      await appended
    })
    expect(await eventsOf(store)).to.deep.equal([
      'audit.begun',
      'impersonation.issued',
      'impersonation.started',
    ])
    await assertWholeChains(store)
  })

  it('counts on no entry of a write that was lost: the next event like it is a new entry', async () => {
    const given = memoryAudit()
    let isLost = true
    const store: AuditStore = {
      ...given,
      append: (batch) =>
        isLost && batch.records.some(({ entry }) => entry.event === 'support.refused')
          ? new Promise(() => {})
          : given.append(batch),
    }
    const writer = ledgerWriter(store)
    const end = new AbortController()
    await quietly(async () => {
      await writer.append([issued('a', T)], APPEND)
      const lost = writer.append([refused(T)], { ...APPEND, end: end.signal })
      await new Promise(setImmediate)
      end.abort()
      expect(await lost).to.deep.equal([])
      isLost = false
      // It has the place that the lost entry had.
      await writer.append([refused(T, { actor: { sub: 'oscar' } })], APPEND)
      await writer.append([refused(T + 1)], APPEND)
    })
    const stored = await readOn(store)
    expect(
      decoded(stored).map((entry, index) => [entry?.event, stored[index]?.count]),
    ).to.deep.equal([
      ['audit.begun', 1],
      ['impersonation.issued', 1],
      ['support.refused', 1],
      ['support.refused', 1],
    ])
    await assertWholeChains(store)
  })

  it('is shared by all who are given the same audit, until it is closed', async () => {
    const audit = memoryAudit()
    const { writer, store } = ledgerOf(audit)
    expect(ledgerOf(audit).writer).to.equal(writer)
    expect(ledgerOf(memoryAudit()).writer).not.to.equal(writer)
    await store.close()
    expect(ledgerOf(audit).writer).not.to.equal(writer)
  })
})
