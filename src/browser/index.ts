export type {
  ImpersonationSession,
  ImpersonationSessionEvents,
  ImpersonationState,
  TokenContext,
} from './session.ts'
