import { expect } from 'chai'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import { openStorage } from '../../test/proofs/storage.ts'
import { onStores } from '../../test/proofs/stores.ts'
import { ALL_STATEMENTS } from '../src/statements/index.ts'
import { deployForSuite } from './support/deployment.ts'
import { complaintsIn, runSuite } from './support/run-suite.ts'

/** The suite asks for less than two minutes of its users. */
const MAX_DURATION_MS = 120_000

describe('every statement of the profile holds', function () {
  this.timeout(MAX_DURATION_MS)

  describe('on memory', () => {
    it('none is skipped, in less than two minutes', async () => {
      await using deployed = await deployForSuite(createMemoryAdapter())
      const result = await runSuite(deployed)
      expect(complaintsIn(result)).to.deep.equal([])
      expect(result.results).to.have.lengthOf(ALL_STATEMENTS.length)
      expect(result.milliseconds).to.be.lessThan(MAX_DURATION_MS)
    })
  })

  onStores(['sqlite', 'ioredis', 'pg'], (store) => {
    it('none is skipped', async () => {
      const { adapter, close } = await openStorage(store.spec())
      try {
        await using deployed = await deployForSuite(adapter)
        expect(complaintsIn(await runSuite(deployed))).to.deep.equal([])
      } finally {
        await close()
      }
    })
  })
})
