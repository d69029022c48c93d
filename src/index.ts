// What a file that imported from 'oidc-provider' may have imported beside Provider.
export { ExternalSigningKey, errors, interactionPolicy } from 'oidc-provider'
export type { SingleUseAdapter } from './adapters/contract.ts'
export type { BindingMember, MayAct } from './binding.ts'
export type {
  AccessTokenPayload,
  ActClaim,
  Actor,
  ClientView,
  CustomJwtClaimsContext,
  CustomJwtClaimsInput,
  GetCustomJwtClaims,
  SubjectTokenContext,
} from './claims-hook.ts'
export { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from './constants.ts'
export type {
  Denial,
  ImpersonationEvent,
  ImpersonationEvents,
  Redemption,
  SubjectTokenRecord,
} from './events.ts'
export { Impersonation, type RequestListener } from './impersonation.ts'
export type {
  AccessTokenOptions,
  ActorChainOptions,
  ActorTokenOptions,
  ImpersonationOptions,
  LimitOptions,
  ManagementApiOptions,
  SubjectTokenOptions,
} from './options.ts'
export type {
  AuthorizationRequest,
  Authorize,
  ContextIssue,
  ContextResult,
  ContextStandardSchema,
  ContextValidator,
  Verdict,
} from './policy-hook.ts'
export { Provider, Provider as default, type ProviderConfiguration } from './provider.ts'
export { normalisedAddress, type RateLimiter } from './rate-limit.ts'
