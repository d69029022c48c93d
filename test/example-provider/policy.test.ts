import { expect } from 'chai'
import { authorize } from '../../example-provider/policy.ts'

describe("the example's rule", () => {
  it('lets nobody act as themselves', () => {
    const asked = (sub: string) =>
      Reflect.apply(authorize, undefined, [
        { account: { accountId: 'alice' }, actor: { sub }, context: {} },
      ])
    expect([asked('olivia'), asked('alice')]).to.deep.equal([true, false])
  })
})
