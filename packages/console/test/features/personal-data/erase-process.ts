// A process that erases a person, and is killed while it removes the n-th impersonation.
import { argv, kill, pid } from 'node:process'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { type StorageKind, storeAt } from '../../ledger/recording/soak-stores.ts'
import { processOn } from './person.ts'

const [, , kind = '', place = '', customer = '', count = ''] = argv
const { store } = await storeAt(kind as StorageKind, place)
await store.open()

let removals = 0
const killing: AuditStore = {
  ...store,
  remove(removal) {
    removals += 1
    const removed = store.remove(removal)
    if (removals === Number(count)) {
      const end = () => kill(pid, 'SIGKILL')
      // SQLite is synchronous, and done. To others the statement is on its way, and has no answer.
      if (kind === 'sqlite') end()
      else setImmediate(end)
    }
    return removed
  },
}
await processOn(killing).erase(customer)
