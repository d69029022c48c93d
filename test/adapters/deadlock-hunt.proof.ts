import { expect } from 'chai'
import { hunt } from './deadlock-hunt.ts'
import { inCi, POSTGRES_URL, reachable } from './servers.ts'

const SECONDS = 15

describe('groups of two processes on the same rows of PostgreSQL', () => {
  it(`never wait for each other in a circle, and consume no record twice, in ${SECONDS} s`, async function () {
    if (!inCi && !(await reachable(POSTGRES_URL, 5432))) this.skip()
    this.timeout(120_000)
    const { calls, groups, consumed } = await hunt(SECONDS)
    console.log(`      ${calls} calls, ${groups} groups, ${consumed} records consumed`)
    expect(groups, 'it was in groups').to.be.above(100)
    expect(consumed, 'it was a race').to.be.above(100)
  })
})
