import { expect } from 'chai'
import { ALL_STATEMENTS } from '../../src/statements/index.ts'
import { WRONG_SERVERS } from './servers.ts'
import { redStatements, spoilable } from './spoilable.ts'

/** These wait for time to pass: they run where they are meant. */
const SLOW_STATEMENTS = ['P34', 'P56']

describe('a server that is wrong on purpose is right in everything else', () => {
  const server = spoilable()

  for (const { name, breaks, mayBreak = [], spoil } of WRONG_SERVERS) {
    if (mayBreak === 'all') continue
    it(name, async () => {
      server.spoilBy(spoil(server.deployed()))
      const excused = [...breaks, ...mayBreak, ...SLOW_STATEMENTS]
      const others = ALL_STATEMENTS.filter(({ number }) => !excused.includes(number))
      const numbers = others.map(({ number }) => number)
      const { red, complaints } = await redStatements(server.deployed(), numbers)
      expect(red, complaints).to.deep.equal([])
    })
  }
})
