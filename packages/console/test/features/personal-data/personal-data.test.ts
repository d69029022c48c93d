import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import { InForceError } from '../../../src/features/personal-data/server/in-force.ts'
import { decoded, readOn } from '../../ledger/stores/contract/support.ts'
import { deploy } from '../../support/deployment.ts'
import { expectStatus, idsOf } from '../../support/expect-answer.ts'

describe('the data of one person, by supportConsole()', () => {
  it('is exported, is refused while the provider keeps some of it, and is erased', async () => {
    const adapter = createMemoryAdapter()
    await using deployment = await deploy({ adapter })
    const { console: support } = deployment
    const asAlice = await deployment.impersonate()
    await asAlice.look()
    const asBob = await deployment.impersonate({ customer: 'bob' })
    const whyKept = async () => {
      const error = await support.erase('alice', { by: 'grace' }).catch((why: unknown) => why)
      if (error instanceof InForceError) return error.inForce
      return expect.fail(String(error))
    }
    const about = { kind: 'impersonation', id: asAlice.id }
    expect(await whyKept()).to.deep.equal([{ ...about, why: 'running' }])
    await deployment.provider.impersonation.end(asAlice.id)
    await deployment.settled()
    expect(await whyKept()).to.deep.equal([{ ...about, why: 'kept' }])
    const [exported, ...more] = (
      await text(support.exportOf('alice', { by: 'grace', note: 'DPO-6' }))
    )
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(more).to.deep.equal([])
    expect(exported).to.deep.include({ id: asAlice.id, reads: 1 })

    await adapter('SubjectToken').destroy(asAlice.id)
    expect(await support.erase('alice', { by: 'grace', note: 'DPO-7' })).to.deep.equal({
      impersonations: 1,
      permits: 0,
    })
    expect(await text(support.exportOf('alice'))).to.equal('')
    const notes = decoded(await readOn(deployment.audit)).flatMap((entry) => entry?.note ?? [])
    expect(notes).to.deep.equal(['DPO-6', 'DPO-7'])
    const body = await deployment.read('ada', '/audit')
    expect(idsOf(body.rows)).to.deep.equal([asBob.id])
    expectStatus(await deployment.ask('ada', `/audit/${asAlice.id}`), 404)
  })
})
