import type { Adapter, Provider } from 'oidc-provider'
import { hasLifecycle, type LifecycleAdapter, missingForLifecycle } from '../adapters/contract.ts'
import { MAX_SUBJECT_TOKEN_TTL, type ResolvedOptions } from '../options/defaults.ts'
import { type StatusIndex, statusIndices } from '../tokens/status-indices.ts'
import { statusListSigner, statusLists } from '../tokens/status-list.ts'
import type { SubjectTokenModel } from '../tokens/subject-token.ts'
import { type Impersonations, impersonations } from './impersonations.ts'
import { keepTrying } from './keep-trying.ts'
import { hideEndedTokens } from './opaque-tokens.ts'
import { announceLifecycle, statusListRoutes } from './status-list-routes.ts'
import { endWithOperator } from './with-operator.ts'

/** The largest difference of clocks that the guard of a resource server forgives, in seconds. */
const MAX_CLOCK_TOLERANCE = 300

/** What happens to impersonations after the issue. */
export interface WiredLifecycle {
  readonly impersonations: Impersonations
  /**
   * A place in a status list that no other token gets; `undefined` where the provider has no key that
   * could sign a list.
   */
  readonly drawStatusIndex: (() => Promise<StatusIndex>) | undefined
  /** Whether an impersonation has ended, or is not known any more. */
  readonly hasEnded: (id: string) => Promise<boolean>
  /** Ends what the first use of a subject token got, after this returns. */
  readonly onReplay: (id: string) => void
}

/**
 * Whether the storage adapter can see and end impersonations, where that is not switched off.
 *
 * @throws TypeError where `lifecycle.enabled` is `true` and the adapter cannot
 */
function canEnd(
  adapter: Adapter,
  { enabled }: ResolvedOptions['lifecycle'],
): adapter is LifecycleAdapter {
  if (enabled === false) return false
  if (hasLifecycle(adapter)) return true
  const missing = missingForLifecycle(adapter).join(', ')
  if (enabled === true) {
    throw new TypeError(
      `features.impersonation.lifecycle.enabled is true, but the storage adapter of SubjectToken lacks ${missing}: ` +
        'use an adapter of this package, keep subject tokens beside yours with withSubjectTokens, or add the methods (node_modules/oidc-provider-impersonation/docs/adapters.md)',
    )
  }
  noticeOnce(
    `impersonations cannot be seen or ended: the storage adapter of SubjectToken lacks ${missing}. ` +
      'Say features.impersonation.lifecycle.enabled: false where that is meant',
  )
  return false
}

const given = new Set<string>()

function noticeOnce(notice: string): void {
  if (given.has(notice)) return
  given.add(notice)
  process.emitWarning(notice, 'ImpersonationWarning')
}

/**
 * How long the storage keeps the record of an impersonation after the last moment of redemption, in
 * seconds: until the last moment at which its access token can be valid anywhere. 0 where nothing can
 * be seen or ended.
 *
 * @throws TypeError where `lifecycle.enabled` is `true` and the adapter cannot
 */
export function keptAfterRedemption(adapter: Adapter, options: ResolvedOptions): number {
  return canEnd(adapter, options.lifecycle) ? lifeOfToken(options) : 0
}

/** How long after the last moment of redemption an access token can be valid, in seconds. */
function lifeOfToken({ accessToken }: ResolvedOptions): number {
  return accessToken.maxTtl + MAX_CLOCK_TOLERANCE + 30
}

/** Serves the status lists of the provider, and answers where their places come from. */
function serveStatusLists(
  provider: Provider,
  adapter: LifecycleAdapter,
  options: ResolvedOptions,
): (() => Promise<StatusIndex>) | undefined {
  const sign = statusListSigner(provider)
  if (!sign) {
    noticeOnce(
      'no key in jwks can sign status lists, so that impersonated JWTs tell no API when they have ended',
    )
    return undefined
  }
  const { issuer } = provider
  const tokenLife = MAX_SUBJECT_TOKEN_TTL + lifeOfToken(options)
  const indices = statusIndices(adapter, { issuer, tokenLife })
  provider.use(statusListRoutes(provider, statusLists({ issuer, adapter, indices, sign })))
  return () => indices.draw()
}

/**
 * Wires what ends impersonations into the provider.
 *
 * @returns `undefined` where nothing can be seen or ended
 */
export function lifecycleOf(
  provider: Provider,
  subjectTokens: SubjectTokenModel,
  options: ResolvedOptions,
): WiredLifecycle | undefined {
  const { adapter } = subjectTokens
  if (!canEnd(adapter, options.lifecycle)) return undefined
  const hasChains = options.actorToken.chain.maxDepth > 0
  const all = impersonations(provider, subjectTokens, adapter, hasChains)
  const tokenLife = options.accessToken.maxTtl
  hideEndedTokens(provider, subjectTokens)
  if (options.lifecycle.endWithOperator) endWithOperator(provider, all, tokenLife)
  const drawStatusIndex = serveStatusLists(provider, adapter, options)
  announceLifecycle(provider, { hasLists: drawStatusIndex !== undefined })
  const endAfterReplay = keepTrying('ending an impersonation after a replay', tokenLife)

  return {
    impersonations: all,
    drawStatusIndex,
    async hasEnded(id) {
      const token = await subjectTokens.findById(id)
      return !token || token.end !== undefined
    },
    onReplay(id) {
      if (options.lifecycle.onReplay !== 'end') return
      endAfterReplay(id, async () => {
        await all.end(id, { cause: 'replay' })
      })
    },
  }
}
