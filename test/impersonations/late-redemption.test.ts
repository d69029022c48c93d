import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { recording } from '../support/audit.ts'
import { REFUSED } from '../support/http.ts'
import { stoppedClock } from '../support/stopped-clock.ts'

describe('I11: an exchange at the last moment of redemption', () => {
  it('gets nothing where an end meanwhile found the subject token expired', async () => {
    using clock = stoppedClock()
    const memory = createMemoryAdapter()
    const ended: number[] = []
    const redeemLate = async (id: string, note?: object) => {
      if (note) {
        clock.pass(9)
        ended.push(await deployment.provider.impersonation.endAll({ userId: 'alice' }))
      }
      return memory('SubjectToken').consumeOnce(id, note && { ...note })
    }
    const adapter = (model: string) =>
      new Proxy(memory(model), {
        get: (target, name) => {
          const isLate = name === 'consumeOnce' && model === 'SubjectToken'
          const member: unknown = isLate ? redeemLate : Reflect.get(target, name)
          return typeof member === 'function' ? member.bind(target) : member
        },
      })
    const { deployment, recorded } = await recording({ configuration: { adapter } })
    const { body } = await deployment.issue({ userId: 'alice', expiresIn: 3 })
    const answer = await deployment.exchange({ subject_token: body.subjectToken })
    expect(ended).to.deep.equal([0])
    expect([answer.status, answer.body]).to.deep.equal([400, REFUSED])
    expect((await recorded()).at(-1)?.name, 'no replay').to.equal('impersonation.denied')
    await deployment.close()
  })
})
