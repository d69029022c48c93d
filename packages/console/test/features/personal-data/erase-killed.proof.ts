import { expect } from 'chai'
import { onEachKind, started, withStore } from '../../ledger/recording/soak-stores.ts'
import { found, many } from '../../ledger/stores/contract/support.ts'
import { expectErased, expectRows, over, processOn, silence, verified } from './person.ts'

const IMPERSONATIONS = 1200
/** Each process is killed at that removal: the first, in the first entry of 500 ids, and after it. */
const KILLED_AT = [1, 7, 499, 501]

describe('a process that erases a person, and is killed', function () {
  this.timeout(300_000)
  silence()

  onEachKind.it('leaves what verifies, and what another erases to the end', (kind, place) =>
    withStore(kind, place, async (store) => {
      const one = processOn(store)
      for (let at = 0; at < IMPERSONATIONS; at += 100) {
        const names = many(100, (index) => `${at + index}`)
        await one.record(...names.flatMap((name) => over(name, 'alice')))
      }
      await one.record(...over('of bob', 'bob'))

      let left = IMPERSONATIONS
      for (const count of KILLED_AT) {
        const script = '../../features/personal-data/erase-process.ts'
        const [, signal] = await started(script, kind, place, 'alice', count).ended
        expect(signal).to.equal('SIGKILL')
        const { rows, unprovedRows, erased } = await verified(store)
        // The removal that was under way is done, or not.
        expect(left + 1 - rows).to.be.within(count - 1, count)
        left = rows - 1
        expect(unprovedRows).to.equal(0)
        const subjects = IMPERSONATIONS - left
        expect(erased).to.deep.equal({ entries: 4 * subjects, subjects })
      }

      await expectErased(one, 'alice', left)
      await one.close()
      await expectRows(store, 1)
      const rows = await found(store, {}, { limit: 50 })
      expect(rows.map(({ customer }) => customer?.id)).to.deep.equal(['bob'])
    }),
  )
})
