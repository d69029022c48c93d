export { acceptImpersonation } from './accept.ts'
export type { AcceptImpersonationOptions } from './accept-options.ts'
export { defineImpersonationBanner } from './banner.ts'
export type { ImpersonationBannerElement } from './banner-element.ts'
export type { BannerNames, ImpersonationBannerTexts } from './banner-texts.ts'
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
