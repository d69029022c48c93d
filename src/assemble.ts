import type { Provider } from 'oidc-provider'
import type { Configured } from './configuration.ts'
import type { Recorder } from './events/emit.ts'
import { registerExchange } from './exchange/exchange.ts'
import { withholdFromSelfRegistered } from './host/patches.ts'
import { setInstance } from './host/weak-cache.ts'
import { MAX_REQUESTS } from './http/current.ts'
import { announceRoutes, issuerRoutes } from './http/routes.ts'
import { MAX_UNSURE_IDS } from './impersonations/end.ts'
import { takeOverMarks } from './impersonations/marks.ts'
import { keepTrying } from './impersonations/retry.ts'
import { followRevocations, followSignOuts, judgeByEnds } from './impersonations/sign-out.ts'
import type { ResolvedOptions } from './options/defaults.ts'
import { limiterInProcess } from './policy/limits.ts'
import { requireMachineTokenKey } from './policy/management-api.ts'
import { BoundedMap } from './shared/bounded-map.ts'
import { MAX_ACCESS_TOKEN_TTL, TOKEN_EXCHANGE_GRANT_TYPE } from './shared/constants.ts'
import { createStatusLists } from './status-list/sign.ts'
import { accessTokenVerifier } from './tokens/access-token.ts'
import { defineSubjectToken } from './tokens/subject-token.ts'

/** The parts of one provider. */
export type Parts = ReturnType<typeof makeParts>

function makeParts(
  provider: Provider,
  options: ResolvedOptions,
  { claims, knowsApis }: Configured,
) {
  const subjectTokens = defineSubjectToken(provider, options)
  const { endable, ending } = subjectTokens
  const recorders: Recorder[] = []
  return {
    options,
    claims,
    /** `true` if the deployment has a `getResourceServerInfo` of its own. */
    knowsApis,
    subjectTokens,
    // Another process may end impersonations, whatever the options of this one (I14).
    verifier: accessTokenVerifier(provider, endable ? judgeByEnds(provider) : undefined),
    /** The storage adapter, if it can list and end impersonations. */
    ending,
    /** Present if impersonations can be ended, and a key can sign the lists. */
    statusLists: ending && createStatusLists(provider, ending, options),
    /**
     * The ends that no request waits for. An end is tried for as long as a token of a process with
     * another `accessToken.maxTtl` may live (what can act can be ended, I14).
     */
    endings: keepTrying(MAX_ACCESS_TOKEN_TTL),
    /** Attempts to end whose outcome the storage did not report. */
    unsureEnds: new BoundedMap<string, true>(MAX_UNSURE_IDS),
    /** The tasks that run after a response. */
    tasks: new Set<Promise<void>>(),
    /** Counts a request of an impersonation for its own state. */
    countCurrent: limiterInProcess(MAX_REQUESTS),
    recorders,
    /** `true` once the routes of the management API were requested, to mount them. */
    isMounted: false,
  }
}

/**
 * Wires impersonation into a provider. Every part of the provider is made here, once, and then
 * used.
 */
export function assemble(
  provider: Provider,
  options: ResolvedOptions,
  configured: Configured,
): void {
  requireMachineTokenKey(provider, options)
  const parts = makeParts(provider, options, configured)
  setInstance(provider, parts)
  configured.claims.use(provider)
  if (!options.allowSelfRegisteredClients) {
    withholdFromSelfRegistered(provider, TOKEN_EXCHANGE_GRANT_TYPE)
  }
  registerExchange(provider)

  if (!parts.ending) return
  followRevocations(provider)
  takeOverMarks(provider)
  if (options.ending.endWithOperator) followSignOuts(provider)
  announceRoutes(provider)
  provider.use(issuerRoutes(provider))
}
