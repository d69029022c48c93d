import { expect } from 'chai'
import { createCluster } from 'redis'
import { resourceServer } from '../../packages/resource-server/src/index.ts'
import { ENDED, verdict } from '../../packages/resource-server/test/status/status-provider.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { statusCountId, statusListId } from '../../src/adapters/record.ts'
import { createRedisAdapter } from '../../src/adapters/redis/index.ts'
import { suiteOn, until } from '../adapters/servers.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { type SixNodes, startSixNodes } from './six-nodes.ts'

/** The number of impersonations that end in each failover. */
const COUNT = 60

interface Ended {
  readonly id: string
  readonly token: string
}

// Nothing where redis-server is not installed.
const cluster = await startSixNodes().catch(() => undefined)
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
    await using deployment = await deploy({ adapter })
    const { impersonation } = deployment.provider
    const ended: Ended[] = []
    const works = () => deployment.impersonate().then(Boolean, () => false)
    for (const at of [0, 1, 2]) {
      const running = await Promise.all(
        Array.from({ length: COUNT }, () => deployment.impersonate()),
      )
      await nodes.failOver(at, async () => {
        for (const { id } of running) await impersonation.end(id)
      })
      ended.push(...running)
      await until(works)
    }
    const look = async () => {
      await using process = await deploy({ adapter }, deployment)
      return await lostIn(process, ended)
    }
    const lost = await look()
    expect(lost.running, 'the record lost its end').to.not.have.length(0)
    expect(lost.accepted, 'the list lost its bit').to.not.have.length(0)
    for (const { id } of ended) await impersonation.end(id)
    expect(await look()).to.deep.equal({ running: [], accepted: [] })
  })
})

/** The impersonations that still run for a process that has read no list, and for its APIs. */
async function lostIn({ base, issuer, orders, provider }: Deployment, ended: readonly Ended[]) {
  const api = resourceServer({
    issuer,
    audience: orders,
    requireStatus: true,
    fetch: (url, init) => fetch(new URL(new URL(url).pathname, base), init),
  })
  const lost: { running: string[]; accepted: string[] } = { running: [], accepted: [] }
  for (const { id, token } of ended) {
    if ((await verdict(api, token)) !== ENDED) lost.accepted.push(id)
    const object = await provider.impersonation.get(id)
    if (object?.state !== 'ended') lost.running.push(id)
  }
  return lost
}
