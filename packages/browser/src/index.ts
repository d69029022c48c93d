export { acceptImpersonation } from './accept.ts'
export type { AcceptImpersonationOptions } from './accept-options.ts'
export type {
  ImpersonationBannerElement,
  ImpersonationBannerSettings,
} from './banner/banner-element.ts'
export { defineImpersonationBanner } from './banner/define.ts'
export type { TokenContext } from './claims.ts'
export {
  ImpersonationError,
  type ImpersonationErrorCode,
  type ImpersonationErrorOptions,
  type ImpersonationTexts,
  type LeftValues,
} from './errors.ts'
export { type ImpersonationUrlParameters, impersonationUrl } from './link.ts'
export type { ImpersonationSession, ImpersonationSessionEvents } from './session.ts'
export type {
  BannerNames,
  ImpersonationBannerTexts,
  ImpersonationCoverTexts,
  SessionEnd,
} from './texts.ts'
