import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { createCluster } from 'redis'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { statusCountId, statusListId } from '../../src/adapters/record.ts'
import { createRedisAdapter } from '../../src/adapters/redis/index.ts'
import { suiteOn } from '../adapters/servers.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { idOf } from '../support/managing.ts'
import { setBits } from '../tokens/serving-process.ts'
import { type SixNodes, startSixNodes } from './six-nodes.ts'

/** For how long servers fail; FAILOVER_MINUTES=30 makes a long one. */
const MINUTES = Number(process.env.FAILOVER_MINUTES ?? 1)
const WORKERS = 4

/** What an operator got, and whether its end was answered. */
interface Redeemed {
  readonly id: string
  readonly subjectToken: string
  readonly idx: number
  readonly uri: string
  ended: boolean
}

/** What a process that knows nothing yet finds of ends that were answered. */
interface Found {
  /** Every API accepts the token: the list is served, and the bit is not set. */
  readonly accepted: Redeemed[]
  /** It is there, and does not read as ended. */
  readonly running: Redeemed[]
  readonly gone: Redeemed[]
  /** The list is not served: APIs refuse. */
  readonly closed: number
}

const cluster = await startSixNodes()
const suite = await suiteOn('redis-server')

suite('a Redis Cluster of six nodes, of which one after the other fails', function () {
  this.timeout((MINUTES + 5) * 60_000)
  const nodes = cluster as SixNodes
  after(() => nodes.stop())

  /** A deployment on the cluster. Subject tokens alone: what fails is what is looked at. */
  async function deployed() {
    const client = createCluster({ rootNodes: nodes.urls.map((url) => ({ url })) })
    client.on('error', () => {})
    await client.connect()
    const redis = createRedisAdapter({
      client: (args, key) => client.sendCommand(key, false, args),
      keyPrefix: 'failing:',
    })
    const others = createMemoryAdapter()
    const adapter = (model: string) => (model === 'SubjectToken' ? redis(model) : others(model))
    const options = { configuration: { adapter } }
    const deployment = await deploy(options)
    return {
      deployment,
      adapter: redis('SubjectToken'),
      /** Another process. */
      copy: () => deploy(options, deployment),
      async close() {
        await deployment.close()
        client.destroy()
      },
    }
  }

  it('keeps a status list and its counts in one slot, and what ended in it', async () => {
    for (const list of ['a', 'b', 'c']) {
      const keys = [statusListId(list), statusCountId(list, 'a'), statusCountId(list, 'b')]
      const slots = keys.map((id) => nodes.slotOf(`oidc:SubjectToken:id:${id}`))
      expect(new Set(await Promise.all(slots)).size).to.equal(1)
    }
  })

  it('I14: loses ends that read as ended, and asking again repairs every one of them', async () => {
    const { deployment, copy, close } = await deployed()
    const all: Redeemed[] = []
    const until = performance.now() + MINUTES * 60_000
    let rounds = 0
    let found = await look(copy, all)
    // Each server once at least: that of the list, and those of records.
    while (performance.now() < until || rounds < 3) {
      await failingOver(nodes, rounds, await working(deployment), all)
      rounds += 1
      found = await look(copy, all)
    }
    const { accepted, running, gone } = found
    const readsEnded = accepted.filter((each) => ![...running, ...gone].includes(each))
    console.log(
      `      ${rounds} failovers, ${all.filter(({ ended }) => ended).length} ends: lost the place in the list of ${readsEnded.length}, the mark of ${running.length}, the record of ${gone.length}; ${found.closed} in lists that are gone`,
    )
    expect(accepted.length + running.length + gone.length, 'something is lost').to.be.above(0)

    for (const { id } of all.filter(({ ended }) => ended))
      await deployment.provider.impersonation.end(id)
    const after = await look(copy, all)
    const isGone = new Set(after.gone)
    expect(after.running).to.deep.equal([])
    expect(after.accepted.filter((each) => !isGone.has(each))).to.deep.equal([])
    await close()
  })
})

/** Operators that work until they are told to stop. What fails is what an outage looks like. */
async function working(deployment: Deployment) {
  const token = await deployment.m2mToken()
  const redeemed: Redeemed[] = []
  const work = { redeemed, refused: 0, stop: async () => {} }
  let isOver = false

  async function once(ends: boolean): Promise<void> {
    const { body } = await deployment.issue({ userId: 'alice' }, { token })
    const subjectToken: string = body.subjectToken
    if (!subjectToken) throw new Error('not issued')
    const answer = await deployment.exchange({ subject_token: subjectToken })
    if (answer.status !== 200) throw new Error('not redeemed')
    const { status } = decodeJwt<{ status: { status_list: { idx: number; uri: string } } }>(
      answer.body.access_token,
    )
    const one: Redeemed = {
      id: idOf(subjectToken),
      subjectToken,
      ...status.status_list,
      ended: false,
    }
    redeemed.push(one)
    if (!ends) return
    await deployment.provider.impersonation.end(one.id)
    one.ended = true
  }
  async function worker(): Promise<void> {
    for (let n = 0; !isOver; n += 1) {
      await once(n % 4 > 0).catch(async () => {
        work.refused += 1
        await wait(20)
      })
    }
  }
  const workers = Array.from({ length: WORKERS }, worker)
  work.stop = async () => {
    isOver = true
    await Promise.all(workers)
  }
  return work
}

/** A failover of one server after the other, under load before, while the replica lags, and after. */
async function failingOver(
  nodes: SixNodes,
  round: number,
  { redeemed, stop }: Awaited<ReturnType<typeof working>>,
  all: Redeemed[],
): Promise<void> {
  try {
    await wait(500)
    await nodes.failOver(round % 3, () => wait(1000))
    await wait(500)
  } finally {
    await stop()
  }
  all.push(...redeemed)
}

/** What a process of its own finds, that has read no list before. */
async function look(copy: () => Promise<Deployment>, all: readonly Redeemed[]): Promise<Found> {
  const process = await copy()
  const found = {
    accepted: [] as Redeemed[],
    running: [] as Redeemed[],
    gone: [] as Redeemed[],
    closed: 0,
  }
  const lists = new Map<string, Set<number> | undefined>()
  for (const one of all.filter(({ ended }) => ended)) {
    if (!lists.has(one.uri)) lists.set(one.uri, await bitsAt(process, one.uri))
    const bits = lists.get(one.uri)
    if (!bits) found.closed += 1
    else if (!bits.has(one.idx)) found.accepted.push(one)
    const object = await process.provider.impersonation.get(one.id)
    if (!object) found.gone.push(one)
    else if (object.state !== 'ended') found.running.push(one)
  }
  await process.close()
  return found
}

/** The bits that are set; `undefined` where there is no list. */
async function bitsAt({ base }: Deployment, uri: string): Promise<Set<number> | undefined> {
  const answer = await fetch(new URL(new URL(uri).pathname, base))
  if (answer.status === 404) return undefined
  expect(answer.status).to.equal(200)
  const claims = decodeJwt<{ status_list: { lst: string } }>(await answer.text())
  return new Set(setBits(claims.status_list.lst))
}
