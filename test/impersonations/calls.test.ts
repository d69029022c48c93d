import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { deploy, idOf } from '../support/deployment.ts'
import { type Around, aroundTokens } from '../support/faulty-adapter.ts'
import { expectAnswer } from '../support/http.ts'
import { signIn } from '../support/sign-in.ts'

/** A deployment that records the calls of its storage about subject tokens. */
async function watched() {
  const asked: string[] = []
  const watch: { around: Around } = { around: (_method, _args, call) => call() }
  const adapter = aroundTokens(createMemoryAdapter(), (method, ...rest) => {
    asked.push(method)
    return watch.around(method, ...rest)
  })
  const deployment = await deploy({ adapter })
  const { impersonation } = deployment.provider
  const recorded: unknown[] = []
  /** The calls while something runs. */
  const during = async <T>(run: () => Promise<T>) => {
    asked.length = 0
    const result = await run()
    return { asked: [...asked], result }
  }
  const act = async (userId: string, actor_token?: string) => {
    deployment.accounts.add(userId)
    const subject_token = await deployment.subjectToken({ userId })
    await expectAnswer(deployment.exchange({ subject_token, actor_token }), 200)
    return idOf(subject_token)
  }
  const record = () =>
    impersonation.recordFirst(async (name, event) => {
      if (name === 'impersonation.ended') recorded.push(event)
    })
  return { deployment, watch, during, act, impersonation, record, recorded }
}

describe('what an end asks the storage', () => {
  it('is two calls, where it was redeemed; so is asking again', async () => {
    const { deployment, during, act, impersonation } = await watched()
    const id = await act('alice')
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
    const { deployment, during, act, impersonation, record, recorded } = await watched()
    record()
    const id = await act('alice')
    const { asked } = await during(() => impersonation.end(id))
    expect(asked.length, asked.join()).to.be.at.most(3)
    expect(recorded[0]).to.deep.include({ id, userId: 'alice', client: 'console' })
    await deployment.close()
  })

  it('answers a start that came between the look at it and its end, and the event has it, too', async () => {
    const { deployment, watch, impersonation, record, recorded } = await watched()
    record()
    const subject_token = await deployment.subjectToken()
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
