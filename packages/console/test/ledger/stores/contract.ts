import type { AuditStore } from 'oidc-provider-impersonation-console'
import type { DefineSuite } from '../../../../../test/adapters/servers.ts'
import type { AuditCase, AuditStorage } from './contract/audit-case.ts'
import { damageCases } from './contract/damage.ts'
import { filterCases } from './contract/filtering.ts'
import { findingCases } from './contract/finding.ts'
import { permitCases } from './contract/permits.ts'
import { readingCases } from './contract/reading.ts'
import { removingCases } from './contract/removing.ts'
import { searchingCases } from './contract/searching.ts'
import { writingCases } from './contract/writing.ts'

/** A storage of one kind. */
export interface AuditStorageKind {
  /** Makes an empty storage. It is called once for each case. */
  create(): AuditStorage | Promise<AuditStorage>
  /** Changes of the tables, in words and in SQL. */
  readonly changes: Readonly<Record<string, string>>
}

/**
 * Defines the tests of an audit store.
 *
 * @param suite of {@link suiteOn} where the storage needs a server
 */
export function describeAuditStore(
  name: string,
  { create, changes }: AuditStorageKind,
  suite: DefineSuite = describe,
) {
  async function runOnStorage({ run }: AuditCase) {
    await using storage = await create()
    const connections: AuditStore[] = []
    const another = async () => {
      const store = storage.connect()
      connections.push(store)
      await store.open()
      return store
    }
    try {
      // Processes that start together open together.
      const [store] = await Promise.all([another(), another()])
      await run({ store, another, run: storage.run })
    } finally {
      for (const store of connections) await store.close()
    }
  }

  const groups = {
    writing: writingCases,
    reading: readingCases,
    finding: findingCases,
    searching: [...searchingCases, ...filterCases],
    removing: removingCases,
    permits: permitCases,
    damage: damageCases(changes),
  }
  suite(`audit store: ${name}`, () => {
    for (const [group, cases] of Object.entries(groups)) {
      describe(group, () => {
        for (const each of cases) it(each.title, () => runOnStorage(each))
      })
    }
  })
}
