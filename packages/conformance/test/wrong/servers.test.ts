import { expect } from 'chai'
import { ALL_STATEMENTS } from '../../src/statements/index.ts'
import { type Deployed, deployForSuite } from '../support/deployment.ts'
import { complaintsIn, runSuite } from '../support/run-suite.ts'
import { proxy, type Spoil } from './proxy.ts'
import { WRONG_SERVERS } from './servers.ts'

/** These wait for time to pass: they run where they are meant. */
const SLOW_STATEMENTS = ['P34', 'P56']

const untouched: Spoil = (passing, forward) => forward(passing)

describe('a server that is wrong on purpose', () => {
  let deployed: Deployed
  let spoil = untouched
  before(async () => {
    deployed = await deployForSuite({ front: proxy(() => spoil) })
  })
  afterEach(() => {
    spoil = untouched
  })
  after(() => deployed[Symbol.asyncDispose]())

  it('is right, where nothing is spoilt', async () => {
    expect(complaintsIn(await runSuite(deployed))).to.deep.equal([])
  })

  for (const { name, breaks, mayBreak = [], spoil: make } of WRONG_SERVERS) {
    it(`${name}: ${breaks.join(', ')}`, async () => {
      spoil = make(deployed)
      const slow = SLOW_STATEMENTS.filter((number) => !breaks.includes(number))
      const tested = ALL_STATEMENTS.map(({ number }) => number)
      const result = await runSuite(
        deployed,
        tested.filter((number) => !slow.includes(number)),
      )
      const red = result.results
        .filter(({ outcome }) => outcome === 'failed')
        .map(({ statement }) => statement.number)
      expect(red, complaintsIn(result).join('\n')).to.include.members([...breaks])
      if (mayBreak === 'all') return
      const others = red.filter((number) => !breaks.includes(number) && !mayBreak.includes(number))
      expect(others, complaintsIn(result).join('\n')).to.deep.equal([])
    })
  }

  it('is found by every statement of the suite: none is green whatever happens', () => {
    const found = new Set(WRONG_SERVERS.flatMap(({ breaks }) => breaks))
    expect(ALL_STATEMENTS.filter(({ number }) => !found.has(number))).to.deep.equal([])
  })
})
