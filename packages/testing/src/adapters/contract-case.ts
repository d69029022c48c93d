import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { AdapterPayload } from 'oidc-provider'
import {
  type EndingAdapter,
  missingForEnding,
  type SingleUseAdapter,
} from 'oidc-provider-impersonation/adapters/contract'
import { destroyAll, subjectTokens } from './impersonation-case.ts'
import { type ModelSample, models } from './models.ts'
import { unique } from './unique.ts'

/** The factory that the suite tests. It is called with a model's name, as oidc-provider does. */
export type FactoryUnderTest = (model: string) => SingleUseAdapter

/** The hooks that give the suite its adapter. */
export interface ContractHooks {
  /**
   * The models of the adapter. `['SubjectToken']` is for an adapter that serves that model alone,
   * beside another (`withSubjectTokens`), which is enough for impersonation. The suite then leaves
   * out cases about other models, and calls none of the methods `findByUid`, `findByUserCode` and
   * `revokeByGrantId`.
   *
   * @defaultValue every model of oidc-provider
   */
  models?: readonly ['SubjectToken']

  /**
   * States whether the adapter of the model `SubjectToken` can list and end impersonations
   * (`endOnce`, `list`, `endedIndices`). With `true`, cases about it fail if a method is missing.
   * With `false`, they are left out.
   *
   * @defaultValue they run if the adapter that `create` makes has all of the methods, and are
   * skipped otherwise
   */
  ending?: boolean

  /**
   * Makes the adapter factory. It is called once for each case, and may return the same store
   * every time. The suite uses random ids throughout and leaves other records alone.
   */
  create(): FactoryUnderTest | Promise<FactoryUnderTest>

  /** Called after each case with the factory of `create` or `createBroken`, passed or failed. */
  cleanup?(factory: FactoryUnderTest): void | Promise<void>

  /**
   * Moves the storage's clock forward by that many seconds. Without it the suite waits, a
   * little over a second in each of nine cases.
   */
  advance?(seconds: number): void | Promise<void>

  /**
   * Makes a stored record expired without removing it, as with a late clean-up (a TTL monitor, a
   * cron job). Leave it out if the storage itself hides expired records.
   */
  leaveExpired?(factory: FactoryUnderTest, model: string, id: string): void | Promise<void>

  /**
   * Makes the storage lose the ended indices of a status list, as a server does that lost its last
   * writes. Leave it out if `endedIndices` reads them from the records that have ended.
   */
  loseEnded?(factory: FactoryUnderTest, list: string): void | Promise<void>

  /**
   * Makes a factory whose storage cannot be used: a closed client, a port without a listener.
   * Every method has to reject, and soon.
   */
  createBroken?(): FactoryUnderTest | Promise<FactoryUnderTest>
}

/** One requirement for an adapter. */
export interface ContractCase {
  /** The promise, in plain words. */
  readonly title: string
  /** The optional hook without which the case cannot run. */
  readonly needs?: 'leaveExpired' | 'createBroken'
  /** The model without which the case is meaningless. */
  readonly about?: string
  /** Set if the case is about {@link EndingMethods}. */
  readonly ending?: true
  run(adapter: SingleUseAdapter, trial: Trial): Promise<void>
}

/**
 * Takes one case, as the `it` of test frameworks does. `adapter` is of the model that the case is
 * about, or of `SubjectToken`.
 */
type DefineCase<A extends SingleUseAdapter> = (
  title: string,
  run: (adapter: A, trial: Trial) => Promise<void>,
) => void

/** The cases that `define` hands to its `it`, all of them under the same conditions. */
export function cases(
  conditions: Pick<ContractCase, 'about' | 'needs'>,
  define: (it: DefineCase<SingleUseAdapter>) => void,
): readonly ContractCase[] {
  const defined: ContractCase[] = []
  define((title, run) => defined.push({ ...conditions, title, run }))
  return defined
}

/** The same about {@link EndingMethods}, which `adapter` has. */
export function casesOfEnding(
  conditions: Pick<ContractCase, 'about' | 'needs'>,
  define: (it: DefineCase<EndingAdapter>) => void,
): readonly ContractCase[] {
  const defined = cases(conditions, (it) =>
    define((title, run) => it(title, (_, trial) => run(subjectTokens(trial.factory), trial))),
  )
  return defined.map((each) => ({ ...each, ending: true }))
}

/** The tools of a case. */
export interface Trial {
  readonly factory: FactoryUnderTest
  /** The models under test. */
  readonly models: readonly ModelSample[]
  /** The adapter of that model, or of `SubjectToken` if it alone is under test. */
  adapterOf(model: string): SingleUseAdapter
  /** An id for a record of `adapter`, which is destroyed once the case has passed. */
  newId(): string
  /** Stores a record of `adapter` under a new id, for 60 seconds or that many; resolves the id. */
  store(members?: AdapterPayload, expiresIn?: number): Promise<string>
  /** Lets at least that much time pass for the storage. */
  elapse(seconds: number): Promise<void>
  leaveExpired(model: string, id: string): Promise<void>
  /** Loses the ended indices of a list, if they are kept apart from the records. */
  loseEnded(list: string): Promise<void>
}

/** Checks whether the case applies to the adapter under test. */
export function concerns({ about, ending }: ContractCase, hooks: ContractHooks): boolean {
  if (ending && hooks.ending === false) return false
  return about === undefined || selectModels(hooks).some(({ model }) => model === about)
}

/** @throws TypeError if it is neither of the two levels */
function selectModels({ models: named }: ContractHooks): readonly ModelSample[] {
  if (named === undefined) return models
  if (!Array.isArray(named) || named.length !== 1 || named[0] !== 'SubjectToken') {
    throw new TypeError("models must be ['SubjectToken'], or absent for every model")
  }
  return models.filter(({ model }) => model === 'SubjectToken')
}

/**
 * Runs one case and cleans up after it. If the case was skipped, it resolves the methods that the
 * adapter lacks. It rejects with the case's assertion error.
 */
export async function runCase(
  contractCase: ContractCase,
  hooks: ContractHooks,
): Promise<string | undefined> {
  const broken = contractCase.needs === 'createBroken' ? hooks.createBroken?.bind(hooks) : undefined
  const factory = await (broken ? broken() : hooks.create())
  const underTest = selectModels(hooks)
  try {
    if (contractCase.ending) {
      const missing = missingForEnding(factory('SubjectToken')).join(', ')
      if (missing && hooks.ending === true) assert.fail(`the adapter lacks ${missing}`)
      if (missing) return missing
    }
    const adapter = factory(contractCase.about ?? 'SubjectToken')
    const ids: string[] = []
    const newId = () => {
      const id = unique()
      ids.push(id)
      return id
    }
    await contractCase.run(adapter, {
      newId,
      factory,
      models: underTest,
      adapterOf: (model) => factory(underTest.length === 1 ? 'SubjectToken' : model),
      store: async (members, expiresIn = 60) => {
        const id = newId()
        await adapter.upsert(id, { jti: id, ...members }, expiresIn)
        return id
      },
      elapse: async (seconds) => {
        if (hooks.advance) await hooks.advance(seconds)
        else await wait(seconds * 1000 + 100)
      },
      leaveExpired: async (model, id) => {
        await hooks.leaveExpired?.(factory, model, id)
      },
      loseEnded: async (list) => {
        await hooks.loseEnded?.(factory, list)
      },
    })
    await destroyAll(adapter, ids)
    return undefined
  } finally {
    await hooks.cleanup?.(factory)
  }
}
