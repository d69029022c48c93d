import { types } from 'node:util'
import type { Adapter, AdapterConstructor, AdapterFactory } from 'oidc-provider'
import type { SingleUseAdapter } from './contract.ts'

/** A class or a factory of adapters that redeem a subject token at most once. */
export type SingleUseAdapterSource =
  | ((model: string) => SingleUseAdapter)
  | (new (
      model: string,
    ) => SingleUseAdapter)

/**
 * Leaves the adapter of a deployment unchanged and keeps subject tokens beside it. The model
 * `SubjectToken` is served by `ours`, every other model by `theirs`, whose adapter never gets
 * subject tokens. The two may be on different storage engines. oidc-provider revokes the tokens of
 * a grant model by model, and a subject token belongs to no grant, so `revokeByGrantId` is that of
 * `theirs` alone. So is the provider's replay detection, which stays as `theirs` makes it.
 *
 * @param theirs - the value of `adapter` before: a class or a factory
 * @param ours - an adapter of this package, or another that honours {@link SingleUseAdapter} for
 * this model
 * @returns the new value of `adapter`
 * @throws TypeError if either is neither a class nor a factory
 *
 * @example
 * new Provider(issuer, {
 *   ...configuration,
 *   adapter: withSubjectTokens(configuration.adapter, createRedisAdapter({ client })),
 * })
 */
export function withSubjectTokens(
  theirs: AdapterConstructor | AdapterFactory,
  ours: SingleUseAdapterSource,
): AdapterFactory {
  if (theirs === undefined) {
    throw new TypeError(
      'withSubjectTokens(theirs, ours): theirs is undefined. Without an adapter of your own, set adapter to ours: it serves every model',
    )
  }
  const makeTheirs = adapterFactory('theirs', theirs)
  const makeOurs = adapterFactory('ours', ours)
  return (model) => (model === 'SubjectToken' ? makeOurs(model) : makeTheirs(model))
}

/**
 * Distinguishes a class from a factory as oidc-provider does: a function with a prototype is
 * constructed.
 */
function adapterFactory(name: string, source: unknown): AdapterFactory {
  if (isConstructor(source)) return (model) => new source(model)
  if (isFactory(source)) return source
  throw new TypeError(
    `withSubjectTokens(theirs, ours): ${name} must be a class or a function (model) => adapter that is not async. Connect first, and pass the function then`,
  )
}

function isConstructor(source: unknown): source is new (model: string) => Adapter {
  return typeof source === 'function' && typeof source.prototype === 'object' && !!source.prototype
}

function isFactory(source: unknown): source is AdapterFactory {
  return typeof source === 'function' && !types.isAsyncFunction(source)
}
