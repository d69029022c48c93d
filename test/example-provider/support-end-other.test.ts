import { expect } from 'chai'
import { createAudit } from '../../example-provider/audit/audit.ts'
import type { AuditStore } from '../../example-provider/audit/entry.ts'
import { impersonationEnd } from '../../example-provider/backend/end.ts'
import { memoryAudit } from '../../example-provider/storage/memory-audit.ts'
import { entryOf } from './audit-contract.ts'
import { quietly } from './quietly.ts'

const granted = (sub: string, jti: string) => entryOf(1, { actor: { sub }, jti })

/** There is one operator in the example; what holds among several is shown here. */
describe('example provider: the end of an impersonation, among operators', () => {
  const endingsIn = async (store: AuditStore) =>
    (await store.before(undefined, 100)).filter(({ entry }) => entry.event === 'support.ended')

  it("is not for another operator's: as unknown as any other", async () => {
    const audit = createAudit(memoryAudit())
    await audit.store.append(granted('oscar', 'j'))
    const problem = await impersonationEnd(audit)('olivia', 'j').catch((error: unknown) => error)
    expect(problem).to.include({ status: 404, error: 'not_found' })
    expect(await endingsIn(audit.store)).to.deep.equal([])
  })

  it('is not taken for said because another operator said it', async () => {
    const audit = createAudit(memoryAudit())
    await audit.store.append(granted('olivia', 'j'))
    await audit.store.append({ ...granted('oscar', 'j'), event: 'support.ended' })
    await quietly(() => impersonationEnd(audit)('olivia', 'j'))
    expect(await endingsIn(audit.store)).to.have.length(2)
  })

  it('is recorded once in one process, whatever it is told at once', async () => {
    const audit = createAudit(memoryAudit())
    await audit.store.append(granted('olivia', 'j'))
    const end = impersonationEnd(audit)
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
      append: (entry) =>
        entry.event === 'support.ended'
          ? store.append(entry)
          : held.then(() => store.append(entry)),
    })
    await quietly(async () => {
      void audit.record(granted('olivia', 'j'))
      const said = impersonationEnd(audit)('olivia', 'j')
      release()
      await said
    })
    expect(await endingsIn(store)).to.have.length(1)
  })
})
