import { expect } from 'chai'
import { hunt } from './deadlock-hunt.ts'
import { skipWithout } from './servers.ts'

const SECONDS = 15

describe('groups of two processes on the same rows of PostgreSQL', () => {
  it(`never wait for each other in a circle, and consume no record twice, in ${SECONDS} s`, async function () {
    await skipWithout(this, 'PostgreSQL')
    this.timeout(120_000)
    const { calls, groups, consumed } = await hunt(SECONDS)
    console.log(`      ${calls} calls, ${groups} groups, ${consumed} records consumed`)
    expect(groups, 'it was in groups').to.be.above(100)
    expect(consumed, 'it was a race').to.be.above(100)
  })
})
