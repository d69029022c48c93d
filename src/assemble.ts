import type { Middleware } from 'koa'
import type { Provider } from 'oidc-provider'
import type { ConfigurationParts } from './configuration.ts'
import { tokenExchangeHandler } from './exchange/handler.ts'
import { EXCHANGE_PARAMETERS, REPEATABLE_PARAMETERS } from './exchange/request.ts'
import { withholdFromSelfRegistered } from './host/registration.ts'
import { currentRoutes } from './http/current/routes.ts'
import { subjectTokenRevocation } from './http/revocation.ts'
import { managementRouter } from './http/router.ts'
import { chainMarker } from './impersonations/mark-chain.ts'
import { judgeByEnds } from './impersonations/opaque-tokens.ts'
import {
  keptAfterRedemption,
  type WiredImpersonations,
  wireImpersonations,
} from './impersonations/wiring.ts'
import { type IssueInProcess, inProcessIssuer } from './issue/issue-in-process.ts'
import { issuePreviewer, type PreviewIssue } from './issue/preview.ts'
import { optionsOf, type ResolvedOptions } from './options/defaults.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from './shared/constants.ts'
import { accessTokenVerifier, verifierOf } from './tokens/access-token.ts'
import { makeReplayDetectionAtomic } from './tokens/single-use.ts'
import { defineSubjectToken, subjectTokensOf } from './tokens/subject-token.ts'

/** A provider that impersonation is registered with. */
export interface Wired {
  readonly provider: Provider
  /** `undefined` where impersonations cannot be seen or ended. */
  readonly ending: WiredImpersonations | undefined
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

  const subjectTokens = subjectTokensOf.set(
    provider,
    defineSubjectToken(provider, options.subjectToken.singleUse, (adapter) =>
      keptAfterRedemption(adapter, options),
    ),
  )
  const ending = wireImpersonations(provider, subjectTokens, options)
  const { hasEnded, findEvenEnded } = judgeByEnds(provider, subjectTokens, ending !== undefined)
  const verifier = verifierOf.set(
    provider,
    accessTokenVerifier(provider, TOKEN_EXCHANGE_GRANT_TYPE, findEvenEnded),
  )
  claims.issuer = provider.issuer
  resourceServer.use(provider, { canEnd: ending !== undefined })
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
    hasEnded,
    markChain: chainMarker(subjectTokens.adapter),
    onNothingIssued: ending?.onNothingIssued ?? (() => {}),
  }
  provider.registerGrantType(
    TOKEN_EXCHANGE_GRANT_TYPE,
    tokenExchangeHandler(provider, exchanging, ending?.onReplay, ending?.endUnrecorded),
    EXCHANGE_PARAMETERS,
    REPEATABLE_PARAMETERS,
  )

  if (ending) {
    const { impersonations } = ending
    provider.use(currentRoutes(provider, { verifier, impersonations }))
    provider.use(subjectTokenRevocation(provider, subjectTokens, impersonations))
  }

  const issuing = {
    options,
    subjectTokens,
    verifier,
    right: rights.issue,
    endUnrecorded: ending?.endUnrecorded ?? (() => {}),
    drawStatusIndex: ending?.drawStatusIndex,
  }
  return {
    provider,
    ending,
    issue: inProcessIssuer(provider, issuing),
    preview: issuePreviewer(provider, issuing),
    routes: managementRouter(provider, {
      ...issuing,
      rights,
      impersonations: ending?.impersonations,
    }),
  }
}
