import type { DefineSuite } from '../../../../../test/adapters/servers.ts'
import type { AuditStore } from '../../../src/audit/store.ts'
import { appending } from './contract/appending.ts'
import { finding } from './contract/finding.ts'
import { permits } from './contract/permits.ts'
import { racing } from './contract/racing.ts'
import { reading } from './contract/reading.ts'
import { removing } from './contract/removing.ts'
import { restarting } from './contract/restarting.ts'
import { searching } from './contract/searching.ts'
import type { ContractCase, TestedStorage } from './contract/support.ts'

/** What every audit store promises. */
export const contract: Readonly<Record<string, readonly ContractCase[]>> = {
  appending,
  reading,
  finding,
  searching,
  removing,
  permits,
  'several processes': racing,
  restarting,
}

/** Runs a case on a storage of its own, and removes it. */
export async function runCase(
  { run }: ContractCase,
  create: () => TestedStorage | Promise<TestedStorage>,
): Promise<void> {
  const storage = await create()
  const opened: AuditStore[] = []
  const another = async () => {
    const store = await storage.connect()
    opened.push(store)
    await store.open()
    return store
  }
  try {
    // Processes that start together open together.
    const [store] = await Promise.all([another(), another()])
    await run({ store, another })
  } finally {
    for (const store of opened) await store.close()
    await storage.dispose()
  }
}

/**
 * Defines the tests of an audit store.
 *
 * @param create an empty storage each time
 * @param suite of {@link suiteOn} where the storage needs a server
 */
export function describeAuditStore(
  name: string,
  create: () => TestedStorage | Promise<TestedStorage>,
  suite: DefineSuite = describe,
): void {
  suite(`audit store: ${name}`, function () {
    this.timeout(30_000)
    for (const [part, cases] of Object.entries(contract)) {
      describe(part, () => {
        for (const each of cases) it(each.title, () => runCase(each, create))
      })
    }
  })
}
