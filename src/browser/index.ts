export { defineImpersonationBanner } from './banner.ts'
export type { ImpersonationBannerElement } from './banner-element.ts'
export type { BannerNames, ImpersonationBannerTexts } from './banner-texts.ts'
export type {
  ImpersonationSession,
  ImpersonationSessionEvents,
  ImpersonationState,
  TokenContext,
} from './session.ts'
