import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { Provider } from '../../src/index.ts'
import { runOnce } from '../../src/siblings/index.ts'
import { configuration, enabled } from '../support/serving.ts'

const ISSUER = 'http://localhost/oidc'

function providerOn(adapter?: ReturnType<typeof createMemoryAdapter>): Provider {
  return new Provider(ISSUER, {
    ...configuration,
    adapter,
    features: { ...configuration.features, impersonation: enabled },
  })
}

/** Twenty callers in two processes: one runs. If it fails, one of the next does. */
async function expectOnce(...processes: readonly Provider[]): Promise<void> {
  let runs = 0
  const count = async () => {
    runs += 1
  }
  const press = (key: string, work = count) =>
    Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        runOnce(processes[index % processes.length] ?? expect.fail(), key, work),
      ),
    )
  const won = (results: readonly PromiseSettledResult<boolean>[]) =>
    results.filter((each) => each.status === 'fulfilled' && each.value).length
  expect([won(await press('a')), runs]).to.deep.equal([1, 1])
  expect([won(await press('a')), runs], 'once more').to.deep.equal([0, 1])
  expect([won(await press('b')), runs], 'another key').to.deep.equal([1, 2])
  const failing = async () => {
    await new Promise(setImmediate)
    throw new Error('refused')
  }
  const failed = await press('c', failing)
  expect(failed.some(({ status }) => status === 'rejected')).to.equal(true)
  expect([won(await press('c')), runs], 'after a failure').to.deep.equal([1, 3])
}

// One of many callers wins on each storage: the contract suite.
describe('runOnce', () => {
  it('runs once for a key, in the memory of one process', () => expectOnce(providerOn()))

  it('runs once for a key, in processes that share a storage', async () => {
    const adapter = createMemoryAdapter()
    await expectOnce(providerOn(adapter), providerOn(adapter))
  })

  it('makes no subject token, and is in no list', async () => {
    const provider = providerOn(createMemoryAdapter())
    await runOnce(provider, 'a', async () => {})
    expect((await provider.impersonation.list({})).items).to.deep.equal([])
  })
})
