import { consumingCases } from './consuming.ts'
import { type ContractCase, type ContractHooks, concerns, runCase } from './contract-case.ts'
import { endedIndicesCases } from './ended-indices.ts'
import { endingCases } from './ending.ts'
import { expiringCases } from './expiring.ts'
import { failingCases } from './failing.ts'
import { listedByCases } from './listed-by.ts'
import { listingCases } from './listing.ts'
import { lookingUpCases } from './looking-up.ts'
import { manyAtOnceCases } from './many-at-once.ts'
import { payloadCases } from './payloads.ts'
import { replacingCases } from './replacing.ts'
import { stayingEndedCases } from './staying-ended.ts'
import { storingCases } from './storing.ts'

export type { ContractHooks, FactoryUnderTest } from './contract-case.ts'

const groups: Readonly<Record<string, readonly ContractCase[]>> = {
  storing: storingCases,
  'looking up': lookingUpCases,
  expiring: expiringCases,
  consuming: consumingCases,
  replacing: replacingCases,
  'many at once': manyAtOnceCases,
  payloads: payloadCases,
  ending: [...endingCases, ...stayingEndedCases],
  listing: [...listingCases, ...listedByCases],
  'ended indices': endedIndicesCases,
  failing: failingCases,
}

/** Options of {@link adapterContract}: the hooks, and the functions of the test framework. */
export interface AdapterContractOptions extends ContractHooks {
  /** mocha's, node:test's, vitest's or jest's. */
  describe: (title: string, define: () => void) => unknown
  /**
   * mocha's, node:test's, vitest's or jest's. A case about methods that the adapter lacks is
   * skipped by the framework's own means. jest has none, and shows it as passed, so set
   * `ending: false`.
   */
  it: (title: string, run: () => Promise<void>) => unknown
}

/**
 * Defines the contract suite as tests of the given framework. The docstrings of `SingleUseAdapter`
 * have the rules that it checks, and those of `EndingMethods` the rules of the optional methods.
 * The suite leaves out cases whose hook is missing, and with `models: ['SubjectToken']` those
 * about other models.
 *
 * @example
 * describe('my adapter', () => {
 *   adapterContract({ describe, it, create: () => (model) => new MyAdapter(model) })
 * })
 */
export function adapterContract({ describe, it, ...hooks }: AdapterContractOptions): void {
  for (const [group, members] of Object.entries(groups)) {
    const runnable = members.filter(
      (each) => concerns(each, hooks) && (!each.needs || hooks[each.needs]),
    )
    if (runnable.length === 0) continue
    describe(group, () => {
      for (const each of runnable) {
        // mocha's `this`, node:test's and vitest's argument; a declared one would be mocha's
        // callback
        it(each.title, async function (this: unknown, ...context: unknown[]) {
          if (await runCase(each, hooks)) skip(this, ...context)
        })
      }
    })
  }
}

/** Skips the running test, if the framework can. */
function skip(...contexts: unknown[]): void {
  for (const context of contexts) {
    const method: unknown = Object(context).skip
    if (typeof method !== 'function') continue
    method.call(context)
    return
  }
}

/** Options of {@link runAdapterContract}. */
export interface RunAdapterContractOptions extends ContractHooks {
  /**
   * Called with every line of the report; `() => {}` for silence.
   *
   * @defaultValue `console.log`
   */
  print?: (line: string) => void
}

/** The result of one case. */
export interface ContractResult {
  readonly title: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** The error of a failed case. */
  readonly error?: unknown
  /** The hook or the methods that are missing, if the case was skipped. */
  readonly missing?: string
}

/** The result of {@link runAdapterContract}. */
export interface ContractReport {
  /** `true` if no case failed. Skipped cases do not count. */
  readonly ok: boolean
  readonly results: readonly ContractResult[]
}

/**
 * Runs the contract suite by itself, one case after the other, with node:assert and no test
 * framework. It resolves also if cases fail, so check `ok`.
 *
 * @example
 * const { ok } = await runAdapterContract({ create: () => (model) => new MyAdapter(model) })
 * process.exitCode = ok ? 0 : 1
 */
export async function runAdapterContract({
  print = console.log,
  ...hooks
}: RunAdapterContractOptions): Promise<ContractReport> {
  const results: ContractResult[] = []
  for (const [group, members] of Object.entries(groups)) {
    for (const each of members.filter((each) => concerns(each, hooks))) {
      const result = await judge(`${group}: ${each.title}`, each, hooks)
      results.push(result)
      print(line(result))
    }
  }
  const count = (outcome: ContractResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).length
  print(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`)
  return { ok: count('failed') === 0, results }
}

async function judge(
  title: string,
  contractCase: ContractCase,
  hooks: ContractHooks,
): Promise<ContractResult> {
  const { needs } = contractCase
  if (needs && !hooks[needs]) return { title, outcome: 'skipped', missing: needs }
  try {
    const missing = await runCase(contractCase, hooks)
    return missing ? { title, outcome: 'skipped', missing } : { title, outcome: 'passed' }
  } catch (error) {
    return { title, outcome: 'failed', error }
  }
}

function line({ title, outcome, error, missing }: ContractResult): string {
  if (outcome === 'skipped') return `skipped  ${title} (no ${missing})`
  if (outcome === 'passed') return `passed   ${title}`
  return `FAILED   ${title}\n${error instanceof Error ? error.stack : String(error)}`
}
