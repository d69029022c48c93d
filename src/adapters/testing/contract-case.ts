import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { missingForLifecycle, type SingleUseAdapter } from '../contract.ts'
import { type ModelSample, models } from './models.ts'

/** What the suite runs against: called with a model's name, as oidc-provider does. */
export type FactoryUnderTest = (model: string) => SingleUseAdapter

/** How the suite gets the adapter under test. */
export interface ContractHooks {
  /**
   * What the adapter is for: `['SubjectToken']` for one that serves that model alone, beside
   * another (`withSubjectTokens`), which is enough for impersonation. Cases about other models are
   * left out then, and of the methods `findByUid`, `findByUserCode` and `revokeByGrantId` none is
   * called.
   *
   * @defaultValue every model of oidc-provider
   */
  models?: readonly ['SubjectToken']

  /**
   * Whether impersonations can be seen and ended by the adapter of the model `SubjectToken`
   * (`endOnce`, `list`, `endedIndices`). With `true`, cases about it fail where a method is
   * missing; with `false` they are left out.
   *
   * @defaultValue they run where what `create` makes has all of the methods, and are skipped else
   */
  lifecycle?: boolean

  /**
   * Makes the adapter factory. Called once per case. It may return the same store every time:
   * the suite uses random ids throughout and leaves other records alone.
   */
  create(): FactoryUnderTest | Promise<FactoryUnderTest>

  /** Called after each case with what `create` or `createBroken` returned, passed or failed. */
  cleanup?(factory: FactoryUnderTest): void | Promise<void>

  /**
   * Moves the storage's clock forward by that many seconds. Without it the suite waits: about
   * seven cases, a little over a second each, and two more about ending.
   */
  advance?(seconds: number): void | Promise<void>

  /**
   * Makes a stored record expired without removing it, as it is when the clean-up is late (a TTL
   * monitor, a cron job). Leave it out where the storage itself hides expired records.
   */
  leaveExpired?(factory: FactoryUnderTest, model: string, id: string): void | Promise<void>

  /**
   * Makes a factory whose storage cannot be used: a closed client, a port without a listener.
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
  /** The model without which the case says nothing. */
  readonly about?: string
  /** Whether the case is about {@link Lifecycle}. */
  readonly lifecycle?: true
  run(trial: Trial): Promise<void>
}

/** What a case gets to work with. */
export interface Trial {
  readonly factory: FactoryUnderTest
  /** The models under test. */
  readonly models: readonly ModelSample[]
  /** The adapter of that model, or of `SubjectToken` where it alone is under test. */
  adapterOf(model: string): SingleUseAdapter
  /** Lets at least that much time pass for the storage. */
  elapse(seconds: number): Promise<void>
  leaveExpired(model: string, id: string): Promise<void>
}

/** Whether the case is about what is under test. */
export function concerns({ about, lifecycle }: ContractCase, hooks: ContractHooks): boolean {
  if (lifecycle && hooks.lifecycle === false) return false
  return about === undefined || modelsOf(hooks).some(({ model }) => model === about)
}

/** @throws TypeError when it is neither of the two levels. */
function modelsOf({ models: named }: ContractHooks): readonly ModelSample[] {
  if (named === undefined) return models
  if (!Array.isArray(named) || named.length !== 1 || named[0] !== 'SubjectToken') {
    throw new TypeError("models must be ['SubjectToken'], or absent for every model")
  }
  return models.filter(({ model }) => model === 'SubjectToken')
}

/**
 * Runs one case and cleans up after it. Resolves why it was skipped, if it was: the methods that
 * the adapter lacks. Rejects with the case's assertion error.
 */
export async function runCase(
  contractCase: ContractCase,
  hooks: ContractHooks,
): Promise<string | undefined> {
  const broken = contractCase.needs === 'createBroken' ? hooks.createBroken?.bind(hooks) : undefined
  const factory = await (broken ? broken() : hooks.create())
  const underTest = modelsOf(hooks)
  try {
    if (contractCase.lifecycle) {
      const missing = missingForLifecycle(factory('SubjectToken')).join(', ')
      if (missing && hooks.lifecycle === true) assert.fail(`the adapter lacks ${missing}`)
      if (missing) return missing
    }
    await contractCase.run({
      factory,
      models: underTest,
      adapterOf: (model) => factory(underTest.length === 1 ? 'SubjectToken' : model),
      elapse: async (seconds) => {
        if (hooks.advance) await hooks.advance(seconds)
        else await wait(seconds * 1000 + 100)
      },
      leaveExpired: async (model, id) => {
        await hooks.leaveExpired?.(factory, model, id)
      },
    })
    return undefined
  } finally {
    await hooks.cleanup?.(factory)
  }
}
