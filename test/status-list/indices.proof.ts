import { expect } from 'chai'
import { Drawn, Store } from '../tokens/remembering-store.ts'

describe('status indices', () => {
  // draft-ietf-oauth-status-list-21, section 13.3:
  // "The Status Issuer MUST prevent any unintended double allocation."
  it('are given out once: a million draws of five processes, more than a list holds', async () => {
    const store = new Store()
    const processes = Array.from({ length: 5 }, () => store.process())
    const drawn = new Drawn()
    for (let n = 0; n < 1_000_000; n += 100) {
      const draws = Array.from({ length: 100 }, (_, k) => processes[(n / 100 + k) % 5]?.draw())
      for (const index of await Promise.all(draws)) if (index) drawn.add(index)
    }
    const counts = [...drawn.lists.values()].map((seen) => seen.reduce((sum, bit) => sum + bit, 0))
    expect(drawn.twice).to.equal(0)
    expect(counts.reduce((sum, count) => sum + count)).to.equal(1_000_000)
    expect(counts).to.have.length.within(1, 4)
    // A lease in a later list looks at the newest lease of the list before, too.
    const later = (1_000_000 - (counts[0] ?? 0)) / 512
    expect(store.calls.length).to.be.lessThan((2 * 1_000_000) / 256 + later + 5 * 30)
  })
})
