import { expect } from 'chai'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { quietly } from '../../support/quietly.ts'
import {
  assertWholeLog,
  decoded,
  idOf,
  issued,
  readOn,
  T,
  used,
} from '../stores/contract/support.ts'
import { recorderOn } from './recorder-on.ts'

/**
 * A use that the storage refuses is set aside, and what comes after it is stored.
 *
 * @param store it has one entry
 */
export async function expectSetAside(store: AuditStore) {
  const { record } = recorderOn(store)
  await quietly(() => Promise.all([record(used('a', T + 1)), record(issued('b', T + 2))]))
  const [, aside, after] = decoded(await readOn(store))
  expect(aside).to.include({ event: 'audit.set_aside', timeMs: T + 1 })
  expect(aside?.setAside).to.include({ event: 'impersonation.used' })
  expect(after).to.deep.equal(issued('b', T + 2))
  expect(await store.row(idOf('b'))).to.include({ at: T + 2 })
  await assertWholeLog(store)
}
