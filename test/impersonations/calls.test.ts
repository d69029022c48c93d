import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { EndingAdapter } from '../../src/adapters/contract.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { ImpersonationOptions } from '../../src/index.ts'
import { deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'

type Around = (method: string, args: readonly unknown[], call: () => unknown) => unknown

/** A deployment that tells what its storage is asked about subject tokens. */
async function watched(impersonation: Partial<ImpersonationOptions> = {}) {
  const memory = createMemoryAdapter()
  const calls: string[] = []
  const watch = { around: ((_method, _args, call) => call()) as Around }
  const adapter = (model: string) => {
    const target = memory(model)
    if (model !== 'SubjectToken') return target
    return new Proxy(target, {
      get(_target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          calls.push(String(name))
          return watch.around(String(name), args, () => Reflect.apply(member, target, args))
        }
      },
    })
  }
  const deployment = await deploy({ impersonation, configuration: { adapter } })
  const records = adapter('SubjectToken') as EndingAdapter
  /** What is asked while something runs. */
  const during = async (run: () => Promise<unknown>) => {
    calls.length = 0
    const result = await run()
    return { asked: [...calls], result }
  }
  const act = async (as: string, actor_token?: string, scope = 'orders:read') => {
    deployment.accounts.add(as)
    const subject_token = await deployment.subjectToken(as)
    const { status, body } = await deployment.exchange({ subject_token, actor_token, scope })
    expect(status, JSON.stringify(body)).to.equal(200)
    const id = String(decodeJwt(body.access_token).jti).replace('impersonation:', '')
    return { id, token: String(body.access_token) }
  }
  return {
    deployment,
    records,
    watch,
    during,
    act,
    impersonation: deployment.provider.impersonation,
  }
}

describe('what an end asks the storage', () => {
  it('is two calls, where it was redeemed; so is asking again', async () => {
    const { deployment, during, act, impersonation } = await watched()
    const { id } = await act('alice')
    const first = await during(() => impersonation.end(id))
    expect(first.asked).to.deep.equal(['find', 'endOnce'])
    expect(first.result).to.deep.include({ id, state: 'ended', client: 'console' })
    const again = await during(() => impersonation.end(id))
    expect(again.asked).to.deep.equal(['find', 'endOnce'])
    expect(again.result).to.deep.equal(first.result)
    expect(await impersonation.get(id)).to.deep.equal(first.result)
    await deployment.close()
  })

  it('is three at most with an audit, and its event says all that is known', async () => {
    const { deployment, during, act, impersonation } = await watched()
    const recorded: unknown[] = []
    impersonation.recordFirst(async (name, event) => {
      if (name === 'impersonation.ended') recorded.push(event)
    })
    const { id } = await act('alice')
    const { asked } = await during(() => impersonation.end(id))
    expect(asked.length, asked.join()).to.be.at.most(3)
    expect(recorded[0]).to.deep.include({ id, userId: 'alice', client: 'console' })
    await deployment.close()
  })

  it('answers a start that came between the look at it and its end, and the event has it, too', async () => {
    const { deployment, watch, impersonation } = await watched()
    const recorded: unknown[] = []
    impersonation.recordFirst(async (name, event) => {
      if (name === 'impersonation.ended') recorded.push(event)
    })
    const subject_token = await deployment.subjectToken('alice')
    const [issued] = (await impersonation.list()).items
    let status: number | undefined
    watch.around = async (method, _args, call) => {
      if (method === 'endOnce' && status === undefined) {
        status = 0
        status = (await deployment.exchange({ subject_token })).status
      }
      return call()
    }
    const ended = await impersonation.end(String(issued?.id))
    expect([issued?.state, status]).to.deep.equal(['issued', 200])
    expect(ended).to.deep.include({ state: 'ended', client: 'console', scope: 'orders:read' })
    expect(ended?.startedAt).to.be.a('number')
    expect(recorded[0]).to.deep.include({ client: 'console', scope: 'orders:read' })
    await deployment.close()
  })

  it('is no look-up for each record where all of a person end who also acts', async () => {
    const { deployment, during, act, impersonation } = await watched()
    const alice = await signIn(deployment, 'alice')
    const asked: string[][] = []
    for (let people = 0; people < 12; people += 1) {
      await act('alice')
      await act(`customer-${people}`, alice.access_token)
      if (people !== 3 && people !== 11) continue
      const { asked: calls } = await during(() => impersonation.endAll({ userId: 'alice' }))
      asked.push(calls.filter((name) => name !== 'endOnce'))
    }
    // One page of records, and nothing else, however many there are.
    expect(asked).to.deep.equal([['list'], ['list']])
    const left = (await impersonation.list({ state: 'active' })).items
    expect(left.map(({ userId }) => userId))
      .to.have.length(12)
      .and.not.include('alice')
    await deployment.close()
  })
})
