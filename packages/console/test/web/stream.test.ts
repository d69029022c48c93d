import { expect } from 'chai'
import { renewed } from '../../../../test/support/shared.ts'
import { deploy } from '../support/deployment.ts'
import { expectProblem, expectRefusal, expectStatus } from '../support/expect-answer.ts'
import { type Following, follow } from '../support/following.ts'

/** Waits for changes until one names the row. */
async function nextOf({ next }: Following, id: string) {
  for (;;) {
    const change = await next()
    if (change.ids.includes(id)) return change
  }
}

describe('the stream of changes', () => {
  const { setInterval, setTimeout } = globalThis
  afterEach(() => {
    Object.assign(globalThis, { setInterval, setTimeout })
  })
  const deployment = renewed(() => deploy())

  /** The signs of life come every 20 milliseconds, instead of every 15 seconds. */
  function beatFast() {
    globalThis.setInterval = ((work: () => void, time?: number) =>
      setInterval(work, Math.min(time ?? 0, 20))) as typeof setInterval
  }

  it('begins with an event at once: the page may have missed what was before', async () => {
    await using stream = await follow(deployment, 'grace')
    expect(stream.status).to.equal(200)
    expect(await stream.next()).to.deep.equal({
      ids: [],
      waits: 0,
      isOfRunning: true,
    })
  })

  it('tells leads and auditors of every row, and leads how many things wait for them', async () => {
    await using lead = await follow(deployment, 'grace')
    await using auditor = await follow(deployment, 'ada')
    const { id, replay } = await deployment.impersonate()
    expect((await nextOf(lead, id)).waits).to.equal(0)
    await nextOf(auditor, id)
    await replay()
    let { waits } = await nextOf(lead, id)
    while (waits === 0) ({ waits } = await nextOf(lead, id))
    expect(waits).to.equal(1)
  })

  it('tells an operator of their own rows alone, and of no alarm', async () => {
    await using olivia = await follow(deployment, 'olivia')
    expect(await olivia.next()).to.deep.equal({
      ids: [],
      waits: 0,
      isOfRunning: true,
    })
    const other = await deployment.impersonate({ operator: 'oscar' })
    await other.refused()
    const own = await deployment.impersonate({ operator: 'olivia' })
    const { isOfRunning: _, ...told } = await olivia.next()
    expect(told).to.deep.equal({ ids: [own.id], waits: 0 })
  })

  it('ends soon after the role is gone, is another one, or the token is revoked', async () => {
    beatFast()
    const streams = await Promise.all(
      ['olivia', 'oscar', 'grace'].map((who) => follow(deployment, who)),
    )
    deployment.roles.delete('olivia')
    deployment.roles.set('oscar', 'lead')
    const token = await deployment.tokenOf('grace')
    await (await deployment.provider.AccessToken.find(token))?.destroy()
    await Promise.all(streams.map((stream) => stream.end()))
  })

  it('ends where the role cannot be looked up within 5 seconds', async () => {
    beatFast()
    await using stream = await follow(deployment, 'olivia')
    await stream.next()
    const waited = new Set<number | undefined>()
    globalThis.setTimeout = ((work: () => void, time?: number) => {
      waited.add(time)
      return setTimeout(work, time === 5000 ? 20 : time)
    }) as typeof setTimeout
    deployment.faults.roles = 'hang'
    await stream.end()
    expect([...waited]).to.include(5000)
    const answer = await deployment.ask('olivia', '/me')
    expectRefusal(answer, 503, 'temporarily_unavailable', 'your role cannot be looked up now')
    expect(answer.headers.get('retry-after')).to.equal('5')
    expect(deployment.log.join()).to.contain('options.role took more than 5000 ms')
  })

  it('goes on while the caller may', async () => {
    beatFast()
    await using stream = await follow(deployment, 'grace')
    await stream.next()
    // A dozen signs of life.
    for (let beats = 0; beats < 12; beats += 1) {
      await deployment.ask('grace', '/me')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const { id } = await deployment.impersonate()
    expect((await nextOf(stream, id)).ids).to.include(id)
  })

  it('ends when the console closes, and begins no more', async () => {
    await using stream = await follow(deployment, 'grace')
    await stream.next()
    await deployment.console.close()
    await stream.end()
    expectStatus(await deployment.ask('grace', '/stream'), 503)
  })

  it('has twelve places for a person; the next one waits', async () => {
    const streams = await Promise.all(Array.from({ length: 12 }, () => follow(deployment, 'oscar')))
    const refused = await deployment.ask('oscar', '/stream')
    expectProblem(refused, 503, 'temporarily_unavailable')
    expect(refused.headers.get('retry-after')).to.equal('15')
    await using other = await follow(deployment, 'grace')
    expect(other.status, 'of another person').to.equal(200)
    for (const stream of streams) await stream[Symbol.asyncDispose]()
    await Promise.all(streams.map((stream) => stream.end()))
    const again = async () => {
      await using stream = await follow(deployment, 'oscar')
      return stream.status
    }
    let free = await again()
    for (let attempts = 0; free === 503 && attempts < 50; attempts += 1) free = await again()
    expect(free, 'the places are free again').to.equal(200)
  })
})
