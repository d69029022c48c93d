import type { PauseRecord } from 'oidc-provider-impersonation-verify/format'

/**
 * An operator who may not start: as the customer who objected, or as any. All times are in milliseconds since
 * the epoch. What is not known is absent.
 */
export interface Pause extends Omit<PauseRecord, 'lastAt' | 'notice' | 'state' | 'version'> {
  /** As of now: `'expired'` had an end, and it has come. */
  readonly state: PauseRecord['state'] | 'expired'
}
