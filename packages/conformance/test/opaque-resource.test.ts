import { expect } from 'chai'
import { readConfiguration } from '../src/configuration.ts'
import { deployForSuite } from './support/deployment.ts'
import { complaintsIn, runSuite } from './support/run-suite.ts'

describe('a server that answers an opaque access token', () => {
  for (const isNamed of [false, true]) {
    it(isNamed ? 'keeps P20 if that is agreed' : 'breaks P20 if nobody asked for it', async () => {
      await using deployed = await deployForSuite()
      const configuration = readConfiguration(deployed.configuration)
      const resource = configuration.exchange.opaqueResource ?? ''
      const opaqueResource = isNamed ? resource : undefined
      const exchange = { ...configuration.exchange, resource, opaqueResource }
      const result = await runSuite(
        { ...deployed, configuration: { ...configuration, exchange } },
        ['P20'],
      )
      const [complaint] = complaintsIn(result)
      if (isNamed) expect(complaint).to.equal(undefined)
      else expect(complaint).to.include('it is opaque')
    })
  }
})
