import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { SingleUseAdapter } from '../contract.ts'

/** What the suite runs against: called with a model's name, as oidc-provider does. */
export type FactoryUnderTest = (model: string) => SingleUseAdapter

/** How the suite gets at the adapter under test. */
export interface ContractHooks {
  /**
   * Makes the adapter factory. Called once per case. It may return the same store every time:
   * the suite uses random ids throughout and leaves other records alone.
   */
  create(): FactoryUnderTest | Promise<FactoryUnderTest>

  /** Called after each case with what `create` or `createBroken` returned, passed or failed. */
  cleanup?(factory: FactoryUnderTest): void | Promise<void>

  /**
   * Moves the storage's clock forward by that many seconds. Without it the suite waits: about
   * seven cases, a little over a second each.
   */
  advance?(seconds: number): void | Promise<void>

  /**
   * Makes a stored record expired without removing it, as it is when the clean-up is late (a TTL
   * monitor, a cron job). Leave it out where the storage itself hides expired records.
   */
  leaveExpired?(factory: FactoryUnderTest, model: string, id: string): void | Promise<void>

  /**
   * Makes a factory whose storage cannot be used: a closed client, a port where nobody listens.
   * Every method has to reject, and soon.
   */
  createBroken?(): FactoryUnderTest | Promise<FactoryUnderTest>
}

/** One thing that an adapter has to do. */
export interface ContractCase {
  /** What is promised, in plain words. */
  readonly title: string
  /** The optional hook without which the case cannot run. */
  readonly needs?: 'leaveExpired' | 'createBroken'
  run(trial: Trial): Promise<void>
}

/** What a case gets to work with. */
export interface Trial {
  readonly factory: FactoryUnderTest
  /** Lets at least that much time pass for the storage. */
  elapse(seconds: number): Promise<void>
  leaveExpired(model: string, id: string): Promise<void>
}

/** A value that no other test and no other run uses. */
export function unique(label = 'id'): string {
  return `${label}-${randomBytes(12).toString('base64url')}`
}

/** Runs one case and cleans up after it. Rejects with the case's assertion error. */
export async function runCase(contractCase: ContractCase, hooks: ContractHooks): Promise<void> {
  const broken = contractCase.needs === 'createBroken' ? hooks.createBroken?.bind(hooks) : undefined
  const factory = await (broken ? broken() : hooks.create())
  try {
    await contractCase.run({
      factory,
      elapse: async (seconds) => {
        if (hooks.advance) await hooks.advance(seconds)
        else await wait(seconds * 1000 + 100)
      },
      leaveExpired: async (model, id) => {
        await hooks.leaveExpired?.(factory, model, id)
      },
    })
  } finally {
    await hooks.cleanup?.(factory)
  }
}
