import { expect } from 'chai'
import { ALL_STATEMENTS } from '../../src/statements/index.ts'
import { complaintsIn, runSuite } from '../support/run-suite.ts'
import { WRONG_SERVERS } from './servers.ts'
import { redStatements, spoilable } from './spoilable.ts'

describe('a server that is wrong on purpose', () => {
  const server = spoilable()

  it('is right, where nothing is spoilt', async () => {
    expect(complaintsIn(await runSuite(server.deployed()))).to.deep.equal([])
  })

  for (const { name, breaks, spoil } of WRONG_SERVERS) {
    it(`${name}: ${breaks.join(', ')}`, async () => {
      server.spoilBy(spoil(server.deployed()))
      const { red, complaints } = await redStatements(server.deployed(), breaks)
      expect(red, complaints).to.deep.equal([...breaks])
    })
  }

  it('is found by every statement of the suite: none is green whatever happens', () => {
    const found = new Set(WRONG_SERVERS.flatMap(({ breaks }) => breaks))
    expect(ALL_STATEMENTS.filter(({ number }) => !found.has(number))).to.deep.equal([])
  })
})
