// A process of a deployment that writes to the log, and says the id of each entry the moment that it
// has the answer. At a step of one of its writes it gets a signal.
import { writeSync } from 'node:fs'
import { argv, kill, pid, stdout } from 'node:process'
import { pendingOf } from '../../../src/ledger/recording/compose.ts'
import { auditLog } from '../../../src/ledger/recording/log.ts'
import { sealsOf, signShared } from '../sealing/seals-of.ts'
import {
  idOf,
  issued,
  MARKS,
  NO_END,
  removeOne,
  started,
  T,
  used,
} from '../stores/contract/support.ts'
import { type StorageKind, storeAt } from './soak-stores.ts'

/**
 * A step of a process: before the sums, before the statement, or between the statement and its answer; before and
 * after a seal is stored; and between the entry of an erasure and its removal.
 */
export type Step = 'answer' | 'erasure' | 'none' | 'seal' | 'sealed' | 'statement' | 'sums'

const [, , kind = '', place = '', step = 'none', signal = 'SIGKILL', count = '0'] = argv
const { store } = await storeAt(kind as StorageKind, place)
await store.open()

let batches = 0
let isDue = true
function passing(at: Step) {
  if (at !== step || batches < Number(count) || !isDue) return
  isDue = false
  kill(pid, signal as NodeJS.Signals)
}

const log = auditLog(
  {
    open: () => store.open(),
    deadlineIn: (ms) => store.deadlineIn(ms),
    sums(ids) {
      passing('sums')
      return store.sums(ids)
    },
    async write(batch, deadline) {
      passing('statement')
      const written = await store.write(batch, deadline)
      passing('answer')
      return written
    },
  },
  MARKS,
)

const seals = sealsOf(
  {
    ...store,
    async addSeal(seal) {
      passing('seal')
      const isAdded = await store.addSeal(seal)
      passing('sealed')
      return isAdded
    },
  },
  { sign: signShared },
)

async function erase(id: string) {
  const erased = { impersonations: [id], permits: [], until: T + 9 }
  const entry = { event: 'support.erased', timeMs: T + 9, by: 'grace', erased } as const
  await log.append([pendingOf(entry)], NO_END)
  passing('erasure')
  await removeOne(store, id)
}

for (; ; batches += 1) {
  const name = `${pid} ${batches}`
  const batch = [
    issued(name, T),
    started(name, T + 1),
    used('shared', T + 2, { useId: name }),
    used(name, T + 2),
  ].map(pendingOf)
  await log.append(batch, NO_END)
  writeSync(stdout.fd, `${batch.map(({ id }) => id).join(' ')}\n`)
  if (batches % 4 === 2) await seals.seal()
  if (batches % 4 === 3) await erase(idOf(name))
  await new Promise((resolve) => setTimeout(resolve, 2))
}
