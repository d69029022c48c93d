// The one file below assemble.ts that knows the types of every layer. It imports no code of them.
import type { Provider } from 'oidc-provider'
import type { EndingAdapter } from '../adapters/contract.ts'
import type { AccessTokenClaims } from '../claims/claims.ts'
import type { Recorder } from '../events/emit.ts'
import type { BackgroundTasks } from '../impersonations/retry.ts'
import type { ResolvedOptions } from '../options/defaults.ts'
import type { BoundedMap } from '../shared/bounded-map.ts'
import type { StatusIndices } from '../status-list/allocate.ts'
import type { StatusLists } from '../status-list/sign.ts'
import type { AccessTokenVerifier } from '../tokens/access-token.ts'
import type { SubjectTokens } from '../tokens/subject-token.ts'

/** The parts of one provider, as `assemble()` makes them. */
export interface Instance {
  readonly options: ResolvedOptions
  readonly claims: AccessTokenClaims
  /** `true` if the deployment has a `getResourceServerInfo` of its own. */
  readonly knowsApis: boolean
  readonly subjectTokens: SubjectTokens
  readonly verifier: AccessTokenVerifier
  /** The storage adapter, if it can list and end impersonations. */
  readonly ending?: EndingAdapter | undefined
  /** Present if impersonations can be ended, and a key can sign the lists. */
  readonly statusLists?: (StatusLists & Pick<StatusIndices, 'draw'>) | undefined
  /** The ends that no request waits for. */
  readonly endings: BackgroundTasks
  /** Attempts to end whose outcome the storage did not report. */
  readonly unsureEnds: BoundedMap<string, true>
  /** The tasks that run after a response. */
  readonly tasks: Set<Promise<void>>
  /** Counts a request of an impersonation for its own state. */
  readonly countCurrent: (impersonationId: string) => void
  readonly recorders: Recorder[]
  /** `true` once the routes of the management API were requested, to mount them. */
  isMounted: boolean
}

const instances = new WeakMap<Provider, Instance>()

export function setInstance(provider: Provider, parts: Instance): void {
  instances.set(provider, parts)
}

/** Returns the parts of a provider, as oidc-provider's own `instance(provider)` does. */
export function instance(provider: Provider): Instance {
  const parts = instances.get(provider)
  if (!parts) throw new Error('impersonation is not part of this provider')
  return parts
}

/** @throws Error if impersonations cannot be listed and ended */
export function requireEnding(provider: Provider): EndingAdapter {
  const { ending } = instance(provider)
  if (ending) return ending
  throw new Error(
    'impersonations cannot be seen or ended here: see canEnd, and features.impersonation.ending',
  )
}
