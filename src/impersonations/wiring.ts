import type { Adapter, Provider } from 'oidc-provider'
import { type EndingAdapter, hasEnding, missingForEnding } from '../adapters/contract.ts'
import type { ResolvedOptions } from '../options/defaults.ts'
import type { EndOptions } from '../public/list-and-end.ts'
import { MAX_ACCESS_TOKEN_TTL, MAX_SUBJECT_TOKEN_TTL } from '../shared/constants.ts'
import { type StatusIndex, statusIndices } from '../status-list/indices.ts'
import { announceStatusLists, statusListRoutes } from '../status-list/routes.ts'
import { statusListSigner, statusLists } from '../status-list/signed-list.ts'
import { keptAfterRedemptionFor } from '../tokens/kept-until.ts'
import type { SubjectTokenModel } from '../tokens/subject-token.ts'
import { type Impersonations, impersonations } from './impersonations.ts'
import { keepTrying } from './keep-trying.ts'
import { findOpaqueResources } from './opaque-resources.ts'
import { endWithOpaqueToken } from './opaque-tokens.ts'
import { pendingEnds } from './pending-ends.ts'
import { endingWhatIsUnderWay } from './under-way.ts'
import { endWithOperator } from './with-operator.ts'

/** What happens to impersonations after the issue. */
export interface WiredImpersonations {
  readonly impersonations: Impersonations
  /**
   * An index in a status list that no other token gets; `undefined` where the provider has no key that
   * could sign a list.
   */
  readonly drawStatusIndex: (() => Promise<StatusIndex>) | undefined
  /** The resources for which the last impersonations got opaque access tokens. */
  readonly findOpaqueResources: () => Promise<readonly string[]>
  /** Ends what the first use of a subject token got, after this returns. */
  readonly onReplay: (id: string) => void
  /** Ends what was redeemed by an exchange that issued nothing, after this returns. */
  readonly onNothingIssued: (id: string) => void
  /** Ends what was issued and could not be recorded, after this returns. */
  readonly endUnrecorded: (id: string) => void
}

/**
 * Whether the storage adapter can see and end impersonations, where that is not switched off.
 *
 * @throws TypeError where `lifecycle.enabled` is `true` and the adapter cannot
 */
function canEnd(
  adapter: Adapter,
  { enabled }: ResolvedOptions['lifecycle'],
): adapter is EndingAdapter {
  if (enabled === false) return false
  if (hasEnding(adapter)) return true
  const missing = missingForEnding(adapter).join(', ')
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
  return canEnd(adapter, options.lifecycle) ? keptAfterRedemptionFor(options.accessToken.maxTtl) : 0
}

/** Serves the status lists of the provider, and answers where their indices come from. */
function serveStatusLists(
  provider: Provider,
  adapter: EndingAdapter,
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
  const tokenLife = MAX_SUBJECT_TOKEN_TTL + keptAfterRedemptionFor(options.accessToken.maxTtl)
  const indices = statusIndices(adapter, { issuer, tokenLife })
  const lists = statusLists({ issuer, adapter, indices, sign })
  // Where the storage can tell what is new, everything is read once.
  if (adapter.followEnded) setImmediate(() => void lists.readAhead().catch(() => {}))
  provider.use(statusListRoutes(provider, lists))
  return () => indices.draw()
}

/**
 * Wires what ends impersonations into the provider.
 *
 * @returns `undefined` where nothing can be seen or ended
 */
export function wireImpersonations(
  provider: Provider,
  subjectTokens: SubjectTokenModel,
  options: ResolvedOptions,
): WiredImpersonations | undefined {
  const { adapter } = subjectTokens
  if (!canEnd(adapter, options.lifecycle)) return undefined
  const all = impersonations(provider, subjectTokens, adapter, options.actorToken.scope)
  // I14: what it ends may have been issued by a process with another `accessToken.maxTtl`.
  const tokenLife = MAX_ACCESS_TOKEN_TTL
  endWithOpaqueToken(provider, all)
  const pending = pendingEnds(provider.issuer, adapter, all, tokenLife)
  if (options.lifecycle.endWithOperator) endWithOperator(provider, all, pending, tokenLife)
  const drawStatusIndex = serveStatusLists(provider, adapter, options)
  announceStatusLists(provider, { hasLists: drawStatusIndex !== undefined })
  const endLater = (what: string, how: EndOptions) => {
    const endSurely = keepTrying(what, tokenLife)
    return (id: string) =>
      endSurely(id, async () => {
        await all.end(id, how)
      })
  }
  const endAfterReplay = endLater('ending an impersonation after a replay', { cause: 'replay' })
  return {
    impersonations: endingWhatIsUnderWay(all, pending),
    drawStatusIndex,
    findOpaqueResources: () => findOpaqueResources(subjectTokens, adapter),
    onReplay: options.lifecycle.onReplay === 'end' ? endAfterReplay : () => {},
    onNothingIssued: endLater('ending an impersonation that issued nothing', {
      cause: 'policy',
      reason: 'redeemed, and nothing was issued',
    }),
    endUnrecorded: endLater('ending an impersonation that was not recorded', {
      cause: 'policy',
      reason: 'the audit did not store it in time',
    }),
  }
}
