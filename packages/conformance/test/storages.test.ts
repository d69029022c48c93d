import { fork } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { openStorage } from '../../../test/proofs/storage.ts'
import { onStores } from '../../../test/proofs/stores.ts'
import { signingKey } from '../../../test/support/deployment-configuration.ts'
import { ALL_STATEMENTS } from '../src/statements/index.ts'
import { deployForSuite } from './support/deployment.ts'
import { complaintsIn, runSuite } from './support/run-suite.ts'

/** The suite asks for less than two minutes of its users. */
const MAX_DURATION_MS = 120_000

describe('every statement of the profile holds', function () {
  this.timeout(MAX_DURATION_MS)

  describe('on memory', () => {
    it('none is skipped, in less than two minutes', async () => {
      await using deployed = await deployForSuite()
      const result = await runSuite(deployed)
      expect(complaintsIn(result)).to.deep.equal([])
      expect(result.results).to.have.lengthOf(ALL_STATEMENTS.length)
      expect(result.milliseconds).to.be.lessThan(MAX_DURATION_MS)
    })
  })

  onStores(['sqlite', 'ioredis', 'pg'], (store) => {
    it('by two processes in turn: none is skipped', async () => {
      const { adapter, close } = await openStorage(store.spec())
      await using deployed = await deployForSuite({ adapter })
      const { origin: base } = new URL(deployed.issuer)
      const argument = JSON.stringify({ spec: store.spec(), base, key: signingKey })
      const other = fork(new URL('support/process.ts', import.meta.url), [argument], {
        execArgv: ['--conditions=oidc-provider-impersonation'],
      })
      try {
        const [{ origin }] = await once(other, 'message')
        const configuration = { ...deployed.configuration, processes: [base, origin] }
        const result = await runSuite({ issuer: deployed.issuer, configuration })
        expect(complaintsIn(result)).to.deep.equal([])
      } finally {
        other.disconnect()
        await close()
      }
    })
  })
})
