import type { Middleware } from 'koa'
import type { Provider } from 'oidc-provider'
import type { ConfigurationParts } from './configuration.ts'
import { tokenExchangeHandler } from './exchange/handler.ts'
import { EXCHANGE_PARAMETERS, REPEATABLE_PARAMETERS } from './exchange/request.ts'
import { withholdFromSelfRegistered } from './host/registration.ts'
import { currentRoutes } from './http/current/routes.ts'
import { subjectTokenRevocation } from './http/revocation.ts'
import { managementRouter } from './http/router.ts'
import { endLater, hasEnded, markChain } from './impersonations/end.ts'
import { endWithOpaqueToken, judgeByEnds } from './impersonations/opaque-tokens.ts'
import { lookForPendingEnds } from './impersonations/pending-ends.ts'
import { endWithOperator } from './impersonations/sign-out.ts'
import { type IssueInProcess, inProcessIssuer } from './issue/issue-in-process.ts'
import { issuePreviewer, type PreviewIssue } from './issue/preview.ts'
import { optionsOf, type ResolvedOptions } from './options/defaults.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from './shared/constants.ts'
import { announceStatusLists, statusListRoutes } from './status-list/routes.ts'
import { assembleStatusLists } from './status-list/sign.ts'
import { accessTokenVerifier, verifierOf } from './tokens/access-token.ts'
import { makeReplayDetectionAtomic } from './tokens/replay-detection.ts'
import { defineSubjectToken, endingAdapterOf, subjectTokensOf } from './tokens/subject-token.ts'

/** A provider that impersonation is registered with. */
export interface Wired {
  readonly provider: Provider
  readonly issue: IssueInProcess
  readonly preview: PreviewIssue
  /** The management API. */
  readonly routes: Middleware
}

/** Wires impersonation into a provider: everything that belongs to the provider is made here, once. */
export function assemble(
  provider: Provider,
  resolved: ResolvedOptions,
  { claims, resourceServer }: ConfigurationParts,
): Wired {
  const options = optionsOf.set(provider, resolved)
  const { rights } = resourceServer

  const subjectTokens = subjectTokensOf.set(provider, defineSubjectToken(provider))
  const canEnd = endingAdapterOf.find(provider) !== undefined
  if (canEnd) {
    endWithOpaqueToken(provider)
    lookForPendingEnds(provider)
    if (options.lifecycle.endWithOperator) endWithOperator(provider)
    const lists = assembleStatusLists(provider)
    if (lists) provider.use(statusListRoutes(provider, lists))
    announceStatusLists(provider, { hasLists: lists !== undefined })
  }
  const findEvenEnded = judgeByEnds(provider)
  const verifier = verifierOf.set(
    provider,
    accessTokenVerifier(provider, TOKEN_EXCHANGE_GRANT_TYPE, findEvenEnded),
  )
  claims.issuer = provider.issuer
  resourceServer.use(provider, { canEnd })
  if (options.atomicReplayDetection) makeReplayDetectionAtomic(provider)
  if (!options.allowSelfRegisteredClients) {
    withholdFromSelfRegistered(provider, TOKEN_EXCHANGE_GRANT_TYPE)
  }

  const exchanging = {
    options,
    subjectTokens,
    verifier,
    claims,
    mayIssueSubjectTokens: rights.issue.may,
    hasEnded: (id: string) => hasEnded(provider, id),
    markChain: (id: string) => markChain(provider, id),
    onNothingIssued: (id: string) => endLater(provider, id, 'nothingIssued'),
  }
  provider.registerGrantType(
    TOKEN_EXCHANGE_GRANT_TYPE,
    tokenExchangeHandler(
      provider,
      exchanging,
      (id) => endLater(provider, id, 'replay'),
      (id) => endLater(provider, id, 'notRecorded'),
    ),
    EXCHANGE_PARAMETERS,
    REPEATABLE_PARAMETERS,
  )

  if (canEnd) {
    provider.use(currentRoutes(provider, { verifier }))
    provider.use(subjectTokenRevocation(provider, subjectTokens))
  }

  const issuing = {
    options,
    subjectTokens,
    verifier,
    right: rights.issue,
    endUnrecorded: (id: string) => endLater(provider, id, 'notRecorded'),
  }
  return {
    provider,
    issue: inProcessIssuer(provider, issuing),
    preview: issuePreviewer(provider, issuing),
    routes: managementRouter(provider, { ...issuing, rights }),
  }
}
