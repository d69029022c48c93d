import { expect } from 'chai'
import type { Adapter } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { basic, deploy } from '../support/deployment.ts'
import { dpopKey } from '../support/dpop.ts'

const COPIES = 12

/** Storage in which all copies look for the record before one of them has stored it. */
function interleaving(): (model: string) => Adapter {
  const memory = createMemoryAdapter()
  let looking = 0
  let release = () => {}
  const allLooked = new Promise<void>((resolve) => {
    release = resolve
  })
  return (model) => {
    const store = memory(model)
    if (model !== 'ReplayDetection') return store
    return Object.assign(Object.create(store), {
      async find(id: string) {
        looking += 1
        if (looking === COPIES) release()
        await allLooked
        return store.find(id)
      },
      upsert: store.upsert.bind(store),
      consumeOnce: store.consumeOnce.bind(store),
    })
  }
}

/** The same DPoP proof, many times at once, at a grant that this package has no part in. */
async function accepted(atomicReplayDetection?: boolean): Promise<number> {
  const deployment = await deploy({
    configuration: { adapter: interleaving(), features: { dPoP: { enabled: true } } },
    impersonation: { atomicReplayDetection },
  })
  const dpop = await (await dpopKey()).proof({ htu: `${deployment.issuer}/token` })
  const request = { grant_type: 'client_credentials', resource: deployment.orders }
  const headers = { ...basic('backend', 'backend-secret'), dpop }
  const answers = await Promise.all(
    Array.from({ length: COPIES }, () => deployment.post('/oidc/token', request, headers)),
  )
  await deployment.close()
  return answers.filter(({ status }) => status === 200).length
}

describe('atomicReplayDetection', () => {
  it('by default, one of many copies of a DPoP proof passes, in every grant', async () => {
    expect(await accepted()).to.equal(1)
  })

  it("false leaves the provider's own replay detection, with its race", async () => {
    expect(await accepted(false)).to.equal(COPIES)
  })

  it('needs no storage for replays where none are detected', async () => {
    const memory = createMemoryAdapter()
    await using deployment = await deploy({
      configuration: {
        adapter: (model) => {
          if (model === 'ReplayDetection') throw new Error('no table of that name')
          return memory(model)
        },
      },
    })
    const { status } = await deployment.exchange({ subject_token: await deployment.subjectToken() })
    expect(status).to.equal(200)
  })
})
