import { attackCases } from './attacks.ts'
import { type AuditContractHooks, runAuditCase } from './audit-case.ts'
import { filterCases } from './filtering.ts'
import { findingCases } from './finding.ts'
import { permitCases } from './permits.ts'
import { readingCases } from './reading.ts'
import { removingCases } from './removing.ts'
import { searchingCases } from './searching.ts'
import { writingCases } from './writing.ts'

export type { AuditContractHooks, AuditStorage } from './audit-case.ts'

const groups = {
  writing: writingCases,
  reading: readingCases,
  finding: findingCases,
  searching: [...searchingCases, ...filterCases],
  removing: removingCases,
  permits: permitCases,
}

/** Options of {@link auditContract}: the hooks, and the functions of the test framework. */
export interface AuditContractOptions extends AuditContractHooks {
  /** mocha's, node:test's, vitest's or jest's. */
  describe: (title: string, define: () => void) => unknown
  /** mocha's, node:test's, vitest's or jest's. A case can take several seconds. */
  it: (title: string, run: () => Promise<void>) => unknown
}

/**
 * Defines the contract of audit stores as tests of the framework that is given. The docstrings of
 * `AuditStore` of `oidc-provider-impersonation-console` have the rules that it checks.
 *
 * @example
 * describe('my audit store', () => {
 *   auditContract({ describe, it, create: () => ({ connect: () => myAudit(url), dispose: () => drop(url) }) })
 * })
 */
export function auditContract({ describe, it, ...hooks }: AuditContractOptions): void {
  for (const [group, cases] of Object.entries({ ...groups, attacks: attackCases(hooks.attacks) })) {
    if (cases.length === 0) continue
    describe(group, () => {
      for (const each of cases) it(each.title, () => runAuditCase(each, () => hooks.create()))
    })
  }
}
