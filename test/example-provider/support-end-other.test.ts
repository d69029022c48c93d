import { expect } from 'chai'
import { createAudit } from '../../example-provider/audit/audit.ts'
import type { AuditStore } from '../../example-provider/audit/store.ts'
import { impersonationEnd } from '../../example-provider/backend/end.ts'
import { memoryAudit } from '../../example-provider/storage/memory-audit.ts'
import { entryOf, put } from './audit-contract.ts'
import { quietly } from './quietly.ts'

const SECOND = 1000
const NOW = 1_000_000 * SECOND
const now = () => NOW

/** How long to act, in seconds. */
const granted = (sub: string, jti: string, time = NOW, life = 600) =>
  entryOf(time, { actor: { sub }, jti, expiresAt: time / SECOND + life })

/** The example has one operator; these tests cover several operators. */
describe('example provider: the end of an impersonation, among operators', () => {
  const endingsIn = async (store: AuditStore) =>
    (await store.before(undefined, 100)).filter(({ entry }) => entry?.event === 'support.ended')

  it("is not for another operator's: as unknown as any other", async () => {
    const audit = createAudit(memoryAudit())
    await put(audit.store, granted('oscar', 'j'))
    const problem = await impersonationEnd(audit, now)('olivia', 'j').catch(
      (error: unknown) => error,
    )
    expect(problem).to.include({ status: 404, error: 'not_found' })
    expect(await endingsIn(audit.store)).to.deep.equal([])
  })

  it('is not taken for said because another operator said it', async () => {
    const audit = createAudit(memoryAudit())
    await put(audit.store, granted('olivia', 'j'))
    await put(audit.store, { ...granted('oscar', 'j'), event: 'support.ended' })
    await quietly(() => impersonationEnd(audit, now)('olivia', 'j'))
    expect(await endingsIn(audit.store)).to.have.length(2)
  })

  it('is recorded once in one process, whatever it is told at once', async () => {
    const audit = createAudit(memoryAudit())
    await put(audit.store, granted('olivia', 'j'))
    const end = impersonationEnd(audit, now)
    await quietly(() => Promise.all(Array.from({ length: 20 }, () => end('olivia', 'j'))))
    expect(await endingsIn(audit.store)).to.have.length(1)
  })

  it('waits for what is about to be stored', async () => {
    const store = memoryAudit()
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const audit = createAudit({
      ...store,
      append: (batch) => held.then(() => store.append(batch)),
    })
    await quietly(async () => {
      void audit.record(granted('olivia', 'j'))
      const said = impersonationEnd(audit, now)('olivia', 'j')
      release()
      await said
    })
    expect(await endingsIn(store)).to.have.length(1)
  })

  it('is not recorded once the token has expired: how long they acted is known', async () => {
    for (const late of [30, 31, 659]) {
      const audit = createAudit(memoryAudit())
      await put(audit.store, granted('olivia', 'j', NOW - late * SECOND, 30))
      const { stdout } = await quietly(() => impersonationEnd(audit, now)('olivia', 'j'))
      expect([stdout, await endingsIn(audit.store)], `${late}`).to.deep.equal([[], []])
    }
    const audit = createAudit(memoryAudit())
    await put(audit.store, granted('olivia', 'j', NOW - 29 * SECOND, 30))
    await quietly(() => impersonationEnd(audit, now)('olivia', 'j'))
    expect(await endingsIn(audit.store)).to.have.length(1)
  })

  it('is found behind however much else, for as long as a token lives', async () => {
    const audit = createAudit(memoryAudit(100_000))
    await put(audit.store, granted('olivia', 'j', NOW - 599 * SECOND))
    for (let count = 0; count < 20_000; count += 1) {
      await put(audit.store, entryOf(NOW - 10, { event: 'impersonation.denied' }))
    }
    await quietly(() => impersonationEnd(audit, now)('olivia', 'j'))
    expect(await endingsIn(audit.store)).to.have.length(1)
  })

  it('is not looked for among what has expired long ago, and one slow clock does not end the search', async () => {
    const store = memoryAudit(100_000)
    let read = 0
    const counting: AuditStore = {
      ...store,
      async before(cursor, limit) {
        const places = await store.before(cursor, limit)
        read += places.length
        return places
      },
    }
    for (let count = 0; count < 20_000; count += 1) {
      await put(store, entryOf(NOW - 661 * SECOND))
    }
    await put(store, granted('olivia', 'j'))
    for (let count = 0; count < 600; count += 1) await put(store, entryOf(NOW))
    await put(store, entryOf(NOW - 3600 * SECOND))
    const end = impersonationEnd(createAudit(counting), now)
    await quietly(() => end('olivia', 'j'))
    expect(await endingsIn(store)).to.have.length(1)
    const problem = await end('olivia', 'another').catch((error: unknown) => error)
    expect(problem).to.include({ status: 404, error: 'not_found' })
    expect(read).to.be.at.most(3000)
  })
})
