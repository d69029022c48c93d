export { acceptImpersonation } from './accept.ts'
export type { AcceptImpersonationOptions } from './accept-options.ts'
export {
  ImpersonationError,
  type ImpersonationErrorCode,
  type ImpersonationErrorOptions,
  type ImpersonationTexts,
} from './errors.ts'
export { type ImpersonationUrlParameters, impersonationUrl } from './impersonation-url.ts'
export type {
  ImpersonationSession,
  ImpersonationSessionEvents,
  ImpersonationState,
  TokenContext,
} from './session.ts'
