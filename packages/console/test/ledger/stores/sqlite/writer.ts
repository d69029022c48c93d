import { createSqliteAudit } from '../../../../src/ledger/stores/sqlite/index.ts'
import { T, used, writer } from '../contract/support.ts'

// A process that opens the audit in the file it is told, and writes so many batches about one row.

const [, , file = '', count = ''] = process.argv
const store = createSqliteAudit({ file })
await store.open()
const { write } = writer(store)
for (let number = 0; number < Number(count); number += 1) {
  await write(used('a', T + number), used('a', T + number))
}
await store.close()
