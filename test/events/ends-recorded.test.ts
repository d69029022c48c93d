import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { Provider } from 'oidc-provider'
import { addRecorder, endsRecorded, recordEnd } from '../../src/events/recorders.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

describe('ends that are recorded', () => {
  it('leave nothing behind in memory, however many there are', async () => {
    const provider = new Provider('http://localhost')
    addRecorder(provider, { record: async () => {}, timeoutMs: 1000, ready: undefined })
    const heapAfter = async (ends: number) => {
      for (let n = 1; n <= ends; n += 1) {
        recordEnd(provider, { time: n }, () => {})
        if (n % 100 === 0) await endsRecorded(provider)
      }
      await endsRecorded(provider)
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = await heapAfter(10_000)
    const perEnd = ((await heapAfter(100_000)) - before) / 100_000
    expect(perEnd, 'bytes').to.be.below(16)
  }).timeout(20_000)
})
