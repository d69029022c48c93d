import { fork } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { skipWithout } from '../../../../../test/adapters/servers.ts'
import { newPlace, storeAt } from '../../ledger/recording/soak-stores.ts'
import { found } from '../../ledger/stores/contract/support.ts'
import { collectLog } from '../../support/quiet.ts'
import { expectErased, over, processOn, verified as verifiedIn } from './person.ts'

const KINDS = ['sqlite', 'postgres'] as const

const IMPERSONATIONS = 1200
/** Each process is killed at that removal: the first, in the first entry of 500 ids, and after it. */
const KILLED_AT = [1, 7, 499, 501]

describe('a process that erases a person, and is killed', function () {
  this.timeout(300_000)
  let stopLog = () => {}
  before(() => {
    stopLog = collectLog([])
  })
  after(() => stopLog())

  for (const kind of KINDS) {
    it(`leaves what verifies, and what another erases to the end: ${kind}`, async function () {
      if (kind === 'postgres') await skipWithout(this, 'PostgreSQL')
      await using storage = await newPlace(kind)
      const { place } = storage
      const { store, close } = await storeAt(kind, place)
      await store.open()
      const one = processOn(store)
      for (let at = 0; at < IMPERSONATIONS; at += 100) {
        const names = Array.from({ length: 100 }, (_, index) => `${at + index}`)
        await one.record(...names.flatMap((name) => over(name, 'alice')))
      }
      await one.record(...over('of bob', 'bob'))
      const verified = () => verifiedIn(store)

      let left = IMPERSONATIONS
      for (const count of KILLED_AT) {
        const child = fork(
          new URL('erase-process.ts', import.meta.url),
          [kind, place, 'alice', `${count}`],
          { execArgv: ['--conditions=oidc-provider-impersonation'], silent: true },
        )
        if (!child.stdout) return expect.fail('no output')
        const [, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')])
        expect(signal).to.equal('SIGKILL')
        const { rows, unprovedRows, erased } = await verified()
        // The removal that was under way is done, or not.
        expect(left + 1 - rows).to.be.within(count - 1, count)
        left = rows - 1
        expect({ rows, unprovedRows }).to.deep.equal({ rows: left + 1, unprovedRows: 0 })
        expect(erased).to.deep.equal({
          entries: 4 * (IMPERSONATIONS - left),
          subjects: IMPERSONATIONS - left,
        })
      }

      await expectErased(one, 'alice', left)
      await one.close()
      expect(await verified()).to.deep.include({ rows: 1, unprovedRows: 0 })
      expect(
        (await found(store, {}, { limit: 50 })).map(({ customer }) => customer?.id),
      ).to.deep.equal(['bob'])
      await store.close()
      await close()
    })
  }
})
