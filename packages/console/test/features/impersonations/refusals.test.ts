import { expect } from 'chai'
import { renewed } from '../../../../../test/support/shared.ts'
import { many, readOn } from '../../ledger/stores/contract/support.ts'
import { ACT } from '../../support/acting.ts'
import { later } from '../../support/clock.ts'
import { deploy } from '../../support/deployment.ts'

describe('what a backend tells by recordRefusal()', () => {
  const deployment = renewed(() => deploy())

  const LURE = 'Your account was attacked. Call +one-two-three.'
  const refusal = (operator: string, userId = 'carla') => ({
    operator,
    error: LURE,
    reason: LURE,
    request: {
      userId,
      scope: LURE,
      mayAct: { clientId: LURE },
      context: { ticketId: LURE, reason: LURE },
    },
  })
  const rowsOf = async (operator: string) => {
    await deployment.settled()
    return (await deployment.read('ada', `/audit?operator=${operator}&limit=200`)).rows
  }

  it('of support staff is recorded as it is told', async () => {
    await deployment.console.recordRefusal(refusal('olivia'))
    const [row] = await rowsOf('olivia')
    expect(row).to.include({ ticket: LURE, reason: LURE })
    expect(row.customer).to.include({ id: 'carla' })
  })

  for (const [who, id] of [
    ['a customer', 'bob'],
    ['an account that there is not', 'ghost'],
  ] as const) {
    it(`of ${who} keeps no word, and is no row of the customer whom they name`, async () => {
      await deployment.console.recordRefusal(refusal(id))
      await deployment.console.recordRefusal(refusal(id, LURE))
      const rows = await rowsOf(id)
      expect(rows).to.have.length(2)
      for (const row of rows) expect(row).not.to.have.any.keys('customer', 'ticket', 'reason')
      const texts = (await readOn(deployment.audit)).map(({ text }) => text).join()
      expect(texts).to.include('{"userId":"carla"}').and.not.include('one-two-three')
      expect(deployment.log.join()).not.to.include('one-two-three')
    })
  }

  it('of a person whose role cannot be looked up keeps no word either', async () => {
    deployment.faults.roles = true
    await deployment.console.recordRefusal(refusal('olivia'))
    deployment.faults.roles = false
    expect((await rowsOf('olivia'))[0]).not.to.have.any.keys('customer', 'ticket', 'reason')
  })

  it('is bounded: 20 a day of a customer, 20 a minute of an operator, counted with those of the console', async () => {
    const recorded = async (operator: string) => {
      const told = many(25, (index) =>
        deployment.console.recordRefusal(refusal(operator, `user-${index}`)),
      )
      return (await Promise.allSettled(told)).filter(({ status }) => status === 'fulfilled').length
    }
    await deployment.ask('bob', '/impersonations', { ...ACT, userId: 'carla' })
    await deployment.ask('oscar', '/impersonations', { ...ACT, userId: 'ghost' })
    expect([await recorded('bob'), await recorded('oscar')]).to.deep.equal([19, 19])
    await later(120_000, async () => {
      expect([await recorded('bob'), await recorded('oscar')]).to.deep.equal([0, 20])
    })
  })

  it('is bounded of all customers together: 1,000 a day', async () => {
    const told = many(1005, (index) => deployment.console.recordRefusal(refusal(`person-${index}`)))
    const answers = await Promise.allSettled(told)
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? answer.reason : []))
    expect(refused.map(({ statusCode }) => statusCode)).to.deep.equal([429, 429, 429, 429, 429])
    const lines = deployment.log.filter((line) => line.includes('people who are no support staff'))
    expect(lines).to.have.length(1)
  })

  it('I17: is refused by the member that is wrong', async () => {
    for (const [member, wrong] of [
      ['refusal.operator', { ...refusal('olivia'), operator: 42 }],
      ['refusal.reason', { ...refusal('olivia'), reason: undefined }],
      ['refusal.request.userId', { ...refusal('olivia'), request: { userId: {} } }],
    ] as const) {
      const error = await deployment.console
        .recordRefusal(wrong as never)
        .catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(TypeError)
      expect(String(error)).to.match(new RegExp(`${member} (must|is required)`))
    }
    expect(await rowsOf('olivia')).to.deep.equal([])
  })
})
