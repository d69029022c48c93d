// First, so that it runs before everything else.
import './host/needs-node.ts'

// The other exports of 'oidc-provider', so that a file can import them from here, beside Provider.
export { type Configuration, ExternalSigningKey, errors, interactionPolicy } from 'oidc-provider'
export type { AdapterFactory, SingleUseAdapter } from './adapters/contract.ts'
export { type SingleUseAdapterSource, withSubjectTokens } from './adapters/with-subject-tokens.ts'
export { ImpersonationFeature } from './impersonation.ts'
export { allOf } from './policy/authorize.ts'
export { Provider, Provider as default, type ProviderConfiguration } from './provider.ts'
export type {
  Denial,
  EndListener,
  ImpersonationEvent,
  ImpersonationEvents,
  ImpersonationListener,
  RecordEvent,
  RecordedEventName,
  RecordFirstOptions,
  Redemption,
  SubjectTokenRecord,
} from './public/events.ts'
export type {
  AccessTokenPayload,
  ActClaim,
  Actor,
  AuthorizationRequest,
  Authorize,
  BindingMember,
  ClientView,
  ContextIssue,
  ContextResult,
  ContextStandardSchema,
  ContextValidator,
  CustomJwtClaimsContext,
  CustomJwtClaimsInput,
  GetCustomJwtClaims,
  MayAct,
  Need,
  SubjectTokenContext,
  Verdict,
} from './public/hooks.ts'
export type {
  ChecklistItem,
  EndCause,
  EndOptions,
  Impersonation,
  ImpersonationEnd,
  ImpersonationFilter,
  ImpersonationPage,
  ImpersonationQuery,
  ImpersonationState,
  IssuedSubjectToken,
  IssueOptions,
  Preview,
  PreviewOptions,
  SubjectTokenRequest,
} from './public/objects.ts'
export type {
  AccessTokenOptions,
  ActorTokenOptions,
  ClientRule,
  EndingOptions,
  ImpersonationOptions,
  LimitOptions,
  ManagementApiOptions,
  ManagementClients,
  SubjectTokenOptions,
} from './public/options.ts'
export { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from './shared/constants.ts'
export {
  ApprovalRequired,
  ClientNotNamed,
  NotRecorded,
  RecorderNotReady,
  TooManyRequests,
  UserNotFound,
} from './shared/errors.ts'
export type { RequestListener } from './shared/request-listener.ts'
