import { expect } from 'chai'
import { people } from '../../example-provider/accounts.ts'
import { mayErase } from '../../example-provider/console.ts'
import { DEMO_ORDERS } from '../../example-provider/demo/orders.ts'
import { stories } from '../../example-provider/demo/stories.ts'
import { en } from '../../example-provider/demo/words/en.ts'

describe('the people of the example', () => {
  it('who may erase are two, and act as nobody', () => {
    const found = people
      .all()
      .filter(({ id }) => mayErase({ accountId: id, claims: () => ({ sub: id }) }))
    expect(found).to.have.length(2)
    expect(found.filter(({ isStaff }) => isStaff)).to.eql([])
  })

  it('as whom a story acts have orders', () => {
    const users = String(stories(en.start)).matchAll(/user=(\w+)/g)
    const ids = new Set([...users].map(([, id = '']) => id))
    expect(ids).to.have.property('size', 4)
    expect([...ids].filter((id) => DEMO_ORDERS[id] === undefined)).to.eql([])
  })
})
