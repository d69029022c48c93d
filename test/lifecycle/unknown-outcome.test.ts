import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { ImpersonationEvent } from '../../src/index.ts'
import { deploy } from '../support/deployment.ts'

describe('I13: an end of which the storage did not say whether it is stored', () => {
  it('raises its event with the repetition that finds it: once, with the first end', async () => {
    const memory = createMemoryAdapter()
    let isDown = false
    const adapter = (model: string) =>
      new Proxy(memory(model), {
        get(target, name) {
          const member: unknown = Reflect.get(target, name)
          if (typeof member !== 'function') return member
          return async (...args: unknown[]) => {
            const isEnd = model === 'SubjectToken' && name === 'endOnce'
            if (isEnd) isDown = true
            const answer = isEnd || !isDown ? await Reflect.apply(member, target, args) : undefined
            if (isDown) throw new Error('the connection was lost')
            return answer
          }
        },
      })
    const deployment = await deploy({ configuration: { adapter } })
    const ended: ImpersonationEvent[] = []
    deployment.provider.on('impersonation.ended', (_ctx, event) => ended.push(event))
    await deployment.subjectToken()
    const { impersonation } = deployment.provider
    const refused = await impersonation
      .endAll({ userId: 'alice' }, { reason: 'one' })
      .catch((error: unknown) => error)
    expect(String(refused)).to.contain('the connection was lost')
    isDown = false
    expect(await impersonation.endAll({ userId: 'alice' }, { reason: 'two' })).to.equal(1)
    expect(await impersonation.endAll({ userId: 'alice' }, { reason: 'three' })).to.equal(0)
    await wait(5)
    expect(ended.map(({ end }) => end?.reason)).to.deep.equal(['one'])
    expect(ended[0]?.end).to.not.have.property('attempt')
    await deployment.close()
  })
})
