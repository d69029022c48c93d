import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { idOf } from '../support/managing.ts'
import { startProvider } from './providers.ts'
import { openStorage } from './storage.ts'
import { onStores } from './stores.ts'

describe('I11: a process that ends all of a client, and is killed after its answer', () => {
  onStores(['sqlite', 'node-redis', 'ioredis', 'pg'], (store) => {
    it('what another process was just redeeming has ended 15 s later', async function () {
      this.timeout(60_000)
      const storage = store.spec()
      const [slow, mortal] = await Promise.all([
        startProvider({ storage, claims: 'slow' }),
        startProvider({ storage }),
      ])
      const { adapter, close } = await openStorage(storage)
      try {
        const subjectToken = await slow.subjectToken()
        const exchange = slow.exchange(subjectToken)
        await slow.claimed
        const { body } = await mortal.end('end', { client: 'console', reason: 'stolen' })
        const ended = performance.now()
        await mortal.kill()
        expect(body).to.equal('{"ended":0}')
        expect((await exchange).status).to.equal(200)
        const find = () => adapter('SubjectToken').find(idOf(subjectToken))
        while ((await find())?.end === undefined && performance.now() - ended < 15_000) {
          await wait(100)
        }
        const seconds = (performance.now() - ended) / 1000
        expect(Object((await find())?.end).reason, `after ${seconds} s`).to.equal('stolen')
        console.log(`      ${seconds.toFixed(1)} s`)
      } finally {
        await close()
        mortal.child.kill('SIGKILL')
        await slow.stop()
      }
    })
  })
})
