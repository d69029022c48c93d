import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { ImpersonationEvent } from '../../src/index.ts'
import { deploy } from '../support/deployment.ts'
import { bearer, end } from '../support/ending-current.ts'

/** A deployment whose storage is lost with the first end that it stores, and is back once told so. */
async function losing() {
  const memory = createMemoryAdapter()
  let [isDown, wasLost] = [false, false]
  const adapter = (model: string) =>
    new Proxy(memory(model), {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (model !== 'SubjectToken' || typeof member !== 'function') return member
        return async (...args: unknown[]) => {
          if (name === 'endOnce' && !wasLost) {
            wasLost = true
            await Reflect.apply(member, target, args)
            isDown = true
          }
          if (isDown) throw new Error('the connection was lost')
          return Reflect.apply(member, target, args)
        }
      },
    })
  const deployment = await deploy({ configuration: { adapter } })
  const ended: ImpersonationEvent[] = []
  deployment.provider.on('impersonation.ended', (_ctx, event) => ended.push(event))
  const isBack = () => {
    isDown = false
  }
  return { deployment, ended, isBack, impersonation: deployment.provider.impersonation }
}

describe('I13: an end of which the storage did not say whether it is stored', () => {
  it('raises its event with the repetition that finds it: once, with the first end', async () => {
    const { deployment, ended, isBack, impersonation } = await losing()
    await deployment.subjectToken()
    const filter = { userId: 'alice' }
    const refused = await impersonation
      .endAll(filter, { reason: 'one' })
      .catch((error: unknown) => error)
    expect(String(refused)).to.contain('the connection was lost')
    isBack()
    expect(await impersonation.endAll(filter, { reason: 'two' })).to.equal(1)
    expect(await impersonation.endAll(filter, { reason: 'three' })).to.equal(0)
    await wait(5)
    expect(ended.map((event) => event.end?.reason)).to.deep.equal(['one'])
    expect(ended[0]?.end).to.not.have.property('attempt')
    await deployment.close()
  })

  it('raises it where the token itself asks again, and learns that it has ended', async () => {
    const { deployment, ended, isBack } = await losing()
    const subject_token = await deployment.subjectToken()
    const { body } = await deployment.exchange({ subject_token })
    expect((await end(deployment.base, bearer(body.access_token))).status).to.equal(500)
    isBack()
    expect((await end(deployment.base, bearer(body.access_token))).status).to.equal(401)
    await wait(5)
    expect(ended).to.have.length(1)
    await deployment.close()
  })

  it('is not its own where another process ends it meanwhile: nothing is counted, and no event raised', async () => {
    const memory = createMemoryAdapter()
    let isLost = true
    const endOnce = async (id: string, end: object) => {
      if (!isLost) return memory('SubjectToken').endOnce(id, { ...end })
      isLost = false
      await memory('SubjectToken').endOnce(id, { ...end, attempt: 'of another process' })
      throw new Error('the connection was lost')
    }
    const adapter = (model: string) =>
      new Proxy(memory(model), {
        get: (target, name) => {
          const member: unknown = name === 'endOnce' ? endOnce : Reflect.get(target, name)
          return typeof member === 'function' ? member.bind(target) : member
        },
      })
    await using deployment = await deploy({ configuration: { adapter } })
    const ended: ImpersonationEvent[] = []
    deployment.provider.on('impersonation.ended', (_ctx, event) => ended.push(event))
    await deployment.subjectToken()
    expect(await deployment.provider.impersonation.endAll({ userId: 'alice' })).to.equal(0)
    await wait(5)
    expect(ended).to.deep.equal([])
  })

  it('I14: is no success where the record reads as ended and the storage does not confirm it', async () => {
    const memory = createMemoryAdapter()
    const unconfirmed = async (id: string, end: object) => {
      await memory('SubjectToken').endOnce(id, { ...end })
      throw new Error('too few replicas have it')
    }
    const adapter = (model: string) =>
      new Proxy(memory(model), {
        get: (target, name) => {
          const member: unknown = name === 'endOnce' ? unconfirmed : Reflect.get(target, name)
          return typeof member === 'function' ? member.bind(target) : member
        },
      })
    await using deployment = await deploy({ configuration: { adapter } })
    await deployment.subjectToken()
    const { impersonation } = deployment.provider
    const [running] = (await impersonation.list()).items
    const outcome = await impersonation.end(String(running?.id)).catch(String)
    expect(outcome).to.contain('too few replicas have it')
    expect((await impersonation.get(String(running?.id)))?.state).to.equal('ended')
  })
})
