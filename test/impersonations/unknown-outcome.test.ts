import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { recording } from '../support/audit.ts'
import { idOf } from '../support/deployment.ts'
import { type Around, aroundTokens } from '../support/faulty-adapter.ts'
import { expectAnswer } from '../support/http.ts'
import { expectState } from './recorded-endings.ts'

/** A deployment with something around the calls of its storage. */
async function surrounded(ask: (memory: ReturnType<typeof createMemoryAdapter>) => Around) {
  const memory = createMemoryAdapter()
  const adapter = aroundTokens(memory, ask(memory))
  const deployment = await recording({ adapter })
  return { ...deployment, impersonation: deployment.provider.impersonation }
}

/** A deployment whose storage is lost with the first end that it stores, until it is back. */
async function losing() {
  let [isDown, wasLost] = [false, false]
  const deployed = await surrounded(() => async (method, _args, call) => {
    if (method === 'endOnce' && !wasLost) {
      wasLost = true
      await call()
      isDown = true
    }
    if (isDown) throw new Error('the connection was lost')
    return call()
  })
  const isBack = () => {
    isDown = false
  }
  return { ...deployed, isBack }
}

describe('I13: an end of which the storage did not say whether it is stored', () => {
  it('raises its event with the repetition that finds it: once, with the first end', async () => {
    await using deployment = await losing()
    const { isBack, impersonation } = deployment
    await deployment.subjectToken()
    const filter = { userId: 'alice' }
    const refused = await impersonation.endAll(filter, { reason: 'one' }).catch(String)
    expect(refused).to.contain('the connection was lost')
    isBack()
    expect(await impersonation.endAll(filter, { reason: 'two' })).to.equal(1)
    expect(await impersonation.endAll(filter, { reason: 'three' })).to.equal(0)
    await wait(5)
    expect(deployment.ended.map((event) => event.end?.reason)).to.deep.equal(['one'])
    expect(deployment.ended[0]?.end).to.not.have.property('attempt')
  })

  it('raises it where the token itself asks again, and learns that it has ended', async () => {
    await using deployment = await losing()
    const { body } = await deployment.exchange()
    await expectAnswer(deployment.endCurrent(body.access_token), 500)
    deployment.isBack()
    await expectAnswer(deployment.endCurrent(body.access_token), 401)
    await wait(5)
    expect(deployment.ended).to.have.length(1)
  })

  for (const [whose, attempt] of [
    ['its own', undefined],
    ['not its own where another process ends it meanwhile', 'of another process'],
  ] as const) {
    it(`is ${whose}: that alone is counted, and raises an event`, async () => {
      let isLost = true
      await using deployment = await surrounded((memory) => async (method, args, call) => {
        if (method !== 'endOnce' || !isLost) return call()
        isLost = false
        const stored = { ...Object(args[1]), ...(attempt && { attempt }) }
        await memory('SubjectToken').endOnce(String(args[0]), stored)
        throw new Error('the connection was lost')
      })
      await deployment.subjectToken()
      const count = attempt ? 0 : 1
      expect(await deployment.impersonation.endAll({ userId: 'alice' })).to.equal(count)
      await wait(5)
      expect(deployment.ended).to.have.length(count)
    })
  }

  it('I14: is no success where the record reads as ended and the storage does not confirm it', async () => {
    await using deployment = await surrounded(() => async (method, _args, call) => {
      const answer = await call()
      if (method === 'endOnce') throw new Error('too few replicas have it')
      return answer
    })
    const id = idOf(await deployment.subjectToken())
    const { impersonation } = deployment
    for (const end of [
      () => impersonation.end(id),
      () => impersonation.end(id),
      () => impersonation.endAll({ userId: 'alice' }),
    ]) {
      expect(await end().catch(String)).to.contain('too few replicas have it')
      await expectState(deployment, 'ended')
    }
  })
})
