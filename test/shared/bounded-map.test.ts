import { expect } from 'chai'
import { BoundedMap } from '../../src/shared/bounded-map.ts'

describe('BoundedMap', () => {
  it('forgets what was set the longest ago, and a key that is set again is the newest', () => {
    const map = new BoundedMap<string, number>(2)
    map.set('a', 1).set('b', 2).set('a', 3)
    expect([...map]).to.deep.equal([
      ['b', 2],
      ['a', 3],
    ])
    map.set('c', 4)
    expect([...map]).to.deep.equal([
      ['a', 3],
      ['c', 4],
    ])
  })
})
