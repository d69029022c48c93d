import { expect } from 'chai'
import { people } from '../../example-provider/accounts.ts'
import { mayErase } from '../../example-provider/console.ts'

describe('the people of the example', () => {
  it('who may erase are two, and act as nobody', () => {
    const found = people
      .all()
      .filter(({ id }) => mayErase({ accountId: id, claims: () => ({ sub: id }) }))
    expect(found).to.have.length(2)
    expect(found.filter(({ isStaff }) => isStaff)).to.eql([])
  })
})
