import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { createCluster } from 'redis'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { statusCountId, statusListId } from '../../src/adapters/record.ts'
import { createRedisAdapter } from '../../src/adapters/redis/index.ts'
import { suiteOn, until } from '../adapters/servers.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { idOf } from '../support/managing.ts'
import { setBits } from '../tokens/serving-process.ts'
import { type SixNodes, startSixNodes } from './six-nodes.ts'

/** The number of impersonations that end in each failover. */
const COUNT = 60

interface Ended {
  readonly id: string
  readonly idx: number
  readonly uri: string
}

const cluster = await startSixNodes()
const suite = await suiteOn('redis-server')

suite('a Redis Cluster of six nodes, three of which fail one after the other', function () {
  this.timeout(120_000)
  const nodes = cluster as SixNodes
  const client = createCluster({ rootNodes: (cluster?.urls ?? []).map((url) => ({ url })) })
  before(() => client.on('error', () => {}).connect())
  after(async () => {
    client.destroy()
    await nodes.stop()
  })

  it('keeps a status list and its counts in one slot, and what ended in it', async () => {
    for (const list of ['a', 'b', 'c']) {
      const keys = [statusListId(list), statusCountId(list, 'a'), statusCountId(list, 'b')]
      const slots = keys.map((id) => nodes.slotOf(`oidc:SubjectToken:id:${id}`))
      expect(new Set(await Promise.all(slots)).size).to.equal(1)
    }
  })

  it('I14: loses ends that read as ended, and asking again repairs every one of them', async () => {
    const redis = createRedisAdapter({
      client: (args, key) => client.sendCommand(key, false, args),
    })
    const others = createMemoryAdapter()
    const adapter = (model: string) => (model === 'SubjectToken' ? redis(model) : others(model))
    await using deployment = await deploy({ configuration: { adapter } })
    const { impersonation } = deployment.provider
    const ended: Ended[] = []
    const works = () => start(deployment).then(Boolean, () => false)
    for (const at of [0, 1, 2]) {
      const running = await Promise.all(Array.from({ length: COUNT }, () => start(deployment)))
      await nodes.failOver(at, async () => {
        for (const { id } of running) await impersonation.end(id)
      })
      ended.push(...running)
      await until(works)
    }
    const look = async () => {
      await using process = await deploy({ configuration: { adapter } }, deployment)
      return await lostIn(process, ended)
    }
    const lost = await look()
    expect(lost.running, 'the record lost its end').to.not.have.length(0)
    expect(lost.accepted, 'the list lost its bit').to.not.have.length(0)
    for (const { id } of ended) await impersonation.end(id)
    expect(await look()).to.deep.equal({ running: [], accepted: [] })
  })
})

async function start(deployment: Deployment): Promise<Ended> {
  const subjectToken = await deployment.subjectToken()
  const { body } = await deployment.exchange({ subject_token: subjectToken })
  const { status } = decodeJwt<{ status: { status_list: { idx: number; uri: string } } }>(
    body.access_token,
  )
  return { id: idOf(subjectToken), ...status.status_list }
}

/** What a process that has read no list before finds: what still runs, and what an API accepts. */
async function lostIn({ base, provider }: Deployment, ended: readonly Ended[]) {
  const lists = new Map<string, Set<number>>()
  const lost: { running: string[]; accepted: string[] } = { running: [], accepted: [] }
  for (const { id, idx, uri } of ended) {
    const bits = lists.get(uri) ?? (await bitsAt(base, uri))
    lists.set(uri, bits)
    if (!bits.has(idx)) lost.accepted.push(id)
    const object = await provider.impersonation.get(id)
    if (object?.state !== 'ended') lost.running.push(id)
  }
  return lost
}

async function bitsAt(base: string, uri: string): Promise<Set<number>> {
  const answer = await fetch(new URL(new URL(uri).pathname, base))
  expect(answer.status).to.equal(200)
  const claims = decodeJwt<{ status_list: { lst: string } }>(await answer.text())
  return new Set(setBits(claims.status_list.lst))
}
