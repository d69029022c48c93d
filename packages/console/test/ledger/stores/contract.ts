import type { DefineSuite } from '../../../../../test/adapters/servers.ts'
import { type AuditContractHooks, auditContract } from './contract/index.ts'

/**
 * Defines the tests of an audit store.
 *
 * @param suite of {@link suiteOn} where the storage needs a server
 */
export function describeAuditStore(
  name: string,
  hooks: AuditContractHooks,
  suite: DefineSuite = describe,
): void {
  suite(`audit store: ${name}`, function () {
    this.timeout(30_000)
    auditContract({ ...hooks, describe, it })
  })
}
