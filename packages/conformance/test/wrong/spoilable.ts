import { type Deployed, deployForSuite } from '../support/deployment.ts'
import { complaintsIn, runSuite } from '../support/run-suite.ts'
import { proxy, type Spoil } from './proxy.ts'

const untouched: Spoil = (passing, forward) => forward(passing)

/** A right server for the tests of a `describe`. What a test spoils is right again after it. */
export function spoilable() {
  let deployed: Deployed
  let spoil = untouched
  before(async () => {
    deployed = await deployForSuite({ front: proxy(() => spoil) })
  })
  afterEach(() => {
    spoil = untouched
  })
  after(() => deployed[Symbol.asyncDispose]())
  return {
    deployed: () => deployed,
    spoilBy(make: Spoil) {
      spoil = make
    },
  }
}

/** Which of these statements do not hold. */
export async function redStatements(deployed: Deployed, numbers: readonly string[]) {
  const result = await runSuite(deployed, numbers)
  const red = result.results
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ statement }) => statement.number)
  return { red, complaints: complaintsIn(result).join('\n') }
}
