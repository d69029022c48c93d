import type { Adapter } from 'oidc-provider'
import { type EndingAdapter, hasEnding, missingForEnding } from '../adapters/contract.ts'
import type { ResolvedOptions } from '../options/defaults.ts'
import { warn } from '../shared/warn.ts'

/**
 * Returns the storage adapter, if it can list and end impersonations, and the option does not
 * disable it.
 *
 * @throws TypeError if `ending.enabled` is `true` and the adapter cannot do it
 */
export function chooseEnding(
  adapter: Adapter,
  { enabled }: ResolvedOptions['ending'],
): EndingAdapter | undefined {
  if (enabled === false) return undefined
  if (hasEnding(adapter)) return adapter
  const missing = missingForEnding(adapter).join(', ')
  if (enabled === true) {
    throw new TypeError(
      `features.impersonation.ending.enabled is true, but the storage adapter of SubjectToken lacks ${missing}: ` +
        'use an adapter of this package, keep subject tokens beside yours with withSubjectTokens, or add the methods (node_modules/oidc-provider-impersonation/docs/adapters.md)',
    )
  }
  warn(
    'CANNOT_END',
    `impersonations cannot be seen or ended: the storage adapter of SubjectToken lacks ${missing}. ` +
      'To accept that, set features.impersonation.ending.enabled: false',
  )
  return undefined
}
